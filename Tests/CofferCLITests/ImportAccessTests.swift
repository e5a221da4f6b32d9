import Coffer
import Foundation
import Import
import Item
import Testing

@testable import coffer_cli

/// What an import does to the access of items, without a vault.
@Suite struct ImportAccessTests {
    private func item(_ require: [String], any: Bool, accessibility: String = "when-unlocked") -> ImportedItem {
        var item = ImportedItem(ImportPlace(line: 2), service: "s", account: "a", value: [1])
        item.access = .init(accessibility: accessibility, require: require, any: any)
        return item
    }

    private func options(_ words: [String]) throws -> AccessChangeOptions { try AccessChangeOptions.parse(words) }

    private func present(_ require: [AccessControl.Requirement], any: Bool = false, expires: Int64? = nil) throws
        -> ItemAttributes
    {
        let start = Date(timeIntervalSince1970: 0)
        return ItemAttributes(
            id: "i", name: ItemName(service: "s", account: "a"),
            access: try AccessControl(requirements: Set(require), anyIsEnough: any), created: start, modified: start,
            expires: expires.map(Date.init(milliseconds:)), version: 1, revision: "")
    }

    /// An import gives no application passwords. Without one of several ways, an item is not easier to read.
    @Test func applicationPasswords() throws {
        let none = try options([])
        let two = try ImportedAccess(item(["presence", "app-password"], any: true), none)
        #expect(two.obstacle == nil)
        #expect(two.change?.requirements == [.userPresence])
        #expect(two.change?.anyIsEnough == false)
        #expect(two.note != nil)
        let three = try ImportedAccess(item(["presence", "app-password", "passcode"], any: true), none)
        #expect(three.change?.requirements == [.userPresence, .devicePasscode])
        #expect(three.change?.anyIsEnough == true)
        for (require, any) in [(["presence", "app-password"], false), (["app-password"], false)] {
            #expect(try ImportedAccess(item(require, any: any), none).obstacle == ImportedAccess.password)
        }
        // The options say what it requires instead.
        let named = try ImportedAccess(item(["app-password"], any: false), try options(["--require", "passcode"]))
        #expect(named.obstacle == nil)
        #expect(named.change?.requirements == [.devicePasscode])
    }

    @Test func anItemThatIsThereBecomesStricterOnly() throws {
        let presence = try options(["--require", "presence"])
        let open = try ImportedAccess(of: present([]), for: nil, presence)
        #expect(open.change?.requirements == [.userPresence])
        #expect(!open.keepsStricter)
        let same = try ImportedAccess(of: present([.userPresence]), for: nil, presence)
        #expect(same.change == nil && !same.keepsStricter)
        let strict = try ImportedAccess(of: present([.devicePasscode]), for: nil, presence)
        #expect(strict.change == nil && strict.keepsStricter)
        let none = try options([])
        #expect(
            try ImportedAccess(of: present([.applicationPassword]), for: nil, none).obstacle == ImportedAccess.password)
        #expect(try ImportedAccess(of: present([]), for: nil, none).obstacle == nil)
    }

    /// The value of a guarded item must not get into an open one.
    @Test func aGuardOfTheFileIsKept() throws {
        let none = try options([])
        let guarded = item(["presence"], any: false)
        let open = try ImportedAccess(of: present([]), for: guarded, none)
        #expect(open.change?.requirements == [.userPresence] && open.obstacle == nil && !open.keepsStricter)
        #expect(open.result == AccessControl.whenUnlocked.requiring(.userPresence))
        for strict in [AccessControl.Requirement.userPresence, .devicePasscode] {
            #expect(try ImportedAccess(of: present([strict]), for: guarded, none).change == nil)
        }
        let neither = try ImportedAccess(of: present([.devicePasscode]), for: item(["biometry"], any: false), none)
        #expect(neither.obstacle?.contains("neither is stricter") == true && neither.change == nil)
        let password = try ImportedAccess(of: present([]), for: item(["app-password"], any: false), none)
        #expect(password.obstacle == ImportedAccess.password)
        // What the person says goes before what the file says.
        #expect(try ImportedAccess(of: present([]), for: guarded, options(["--require", "none"])).change == nil)
        // A value that stays has nothing to do with the file's.
        #expect(try ImportedAccess(of: present([]), for: nil, none).change == nil)
    }

    @Test func whatThisVersionDoesNotKnowIsNamed() {
        #expect(item([], any: false).unknown == nil)
        #expect(item([], any: false, accessibility: "sometimes").unknown != nil)
        #expect(item(["presence", "dna"], any: true).unknown != nil)
        #expect(item(["dna"], any: false).unknown != nil)
        #expect(item(["presence", "dna", "passcode"], any: true).unknown != nil)
        #expect(item(["presence", "presence"], any: true).unknown != nil)
        var other = item([], any: false)
        other.kind = "wallet"
        #expect(other.unknown != nil)
        // A file would otherwise change what applications do, on all machines, and the list would not show it.
        other.kind = ItemKind.setting.rawValue
        #expect(other.unknown?.contains("settings are not imported") == true)
    }

    @Test func timesOfExpiry() throws {
        #expect(try present([], expires: 5).isExpired(at: Date(milliseconds: 5)))
        #expect(try !present([], expires: 6).isExpired(at: Date(milliseconds: 5)))
        #expect(try !present([]).isExpired(at: Date(milliseconds: 5)))
    }

    /// The broker compares bytes.
    @Test func namesThatLookTheSameAreTwo() {
        func name(_ service: String, _ account: String) -> ItemName {
            VaultComparison.name(ImportedItem(ImportPlace(line: 2), service: service, account: account, value: [1]))
        }
        #expect(name("caf\u{E9}", "a") != name("cafe\u{301}", "a"))
        #expect(name("s", "caf\u{E9}") != name("s", "cafe\u{301}"))
        #expect(Set([name("s", "a"), name("s", "a")]).count == 1)
    }
}
