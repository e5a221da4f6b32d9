import BrokerProtocol
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
        -> Keychain.Item
    {
        Keychain.Item(
            id: "i", service: "s", account: "a", attributes: [:],
            access: try AccessControl(requirements: Set(require), anyIsEnough: any),
            created: 0, modified: 0, expires: expires, version: 1)
    }

    /// An import gives no application passwords. Without one of several ways, an item is not easier to read.
    @Test func applicationPasswords() throws {
        let none = try options([])
        let two = try ImportedAccess(item(["presence", "app-password"], any: true), none)
        #expect(two.obstacle == nil)
        #expect(two.change?.require == [.userPresence])
        #expect(two.change?.any == false)
        #expect(two.note != nil)
        let three = try ImportedAccess(item(["presence", "app-password", "passcode"], any: true), none)
        #expect(three.change?.require == [.userPresence, .devicePasscode])
        #expect(three.change?.any == true)
        for (require, any) in [(["presence", "app-password"], false), (["app-password"], false)] {
            #expect(try ImportedAccess(item(require, any: any), none).obstacle == ImportedAccess.password)
        }
        // The options say what it requires instead.
        let named = try ImportedAccess(item(["app-password"], any: false), try options(["--require", "passcode"]))
        #expect(named.obstacle == nil)
        #expect(named.change?.require == [.devicePasscode])
    }

    @Test func anItemThatIsThereBecomesStricterOnly() throws {
        let presence = try options(["--require", "presence"])
        let open = try ImportedAccess(of: present([]), presence)
        #expect(open.change?.require == [.userPresence])
        #expect(!open.keepsStricter)
        let same = try ImportedAccess(of: present([.userPresence]), presence)
        #expect(same.change == nil && !same.keepsStricter)
        let strict = try ImportedAccess(of: present([.devicePasscode]), presence)
        #expect(strict.change == nil && strict.keepsStricter)
        #expect(
            try ImportedAccess(of: present([.applicationPassword]), try options([])).obstacle == ImportedAccess.password
        )
        #expect(try ImportedAccess(of: present([]), try options([])).obstacle == nil)
    }

    @Test func whatThisVersionDoesNotKnowIsNamed() {
        #expect(item([], any: false).unknown == nil)
        #expect(item([], any: false, accessibility: "sometimes").unknown != nil)
        #expect(item(["presence", "dna"], any: true).unknown != nil)
        #expect(item(["presence", "presence"], any: true).unknown != nil)
        var other = item([], any: false)
        other.kind = "wallet"
        #expect(other.unknown != nil)
    }

    @Test func timesOfExpiry() throws {
        #expect(try present([], expires: 5).isExpired(at: 5))
        #expect(try !present([], expires: 6).isExpired(at: 5))
        #expect(try !present([]).isExpired(at: 5))
    }

    /// The broker compares bytes.
    @Test func namesThatLookTheSameAreTwo() {
        #expect(
            VaultComparison.Name("caf\u{E9}", "a", .genericPassword)
                != VaultComparison.Name("cafe\u{301}", "a", .genericPassword))
        #expect(
            VaultComparison.Name("s", "caf\u{E9}", .genericPassword)
                != VaultComparison.Name("s", "cafe\u{301}", .genericPassword))
        #expect(VaultComparison.Name("s", "a", .genericPassword) == VaultComparison.Name("s", "a", .genericPassword))
    }
}
