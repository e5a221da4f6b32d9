import Authorization
import Cryptography
import Foundation
import Item
import TestSupport
import Testing

@testable import Vault

/// The values that an item had before: a wrong `set` loses nothing, and nothing is left where it must not be.
struct HistoryTests {
    private let fixture: VaultFixture
    private let vault: OpenVault
    private let gated: AccessControl
    private static let day: UInt64 = 86_400_000

    init() throws {
        gated = try AccessControl(isThisDeviceOnly: true, requirements: [.userPresence])
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    @discardableResult
    private func set(
        _ value: String, _ access: AccessControl = .whenUnlocked, _ account: String = "a"
    ) throws -> ItemSummary { try vault.set(.make("s", account, value, access)).item }

    private func versions(_ account: String = "a") throws -> [UInt64] {
        try vault.history(service: "s", account: account).versions.map(\.version)
    }

    private func agreements(_ plan: ReadPlan) throws -> Agreements { try fixture.agreements(vault, plan) }

    /// A value with every consent, and the item as it was.
    private func read(_ version: UInt64, _ account: String = "a") throws -> (item: ItemSummary, value: SecretBytes) {
        let keys = try fixture.unlock(vault)
        let plan = try vault.look(service: "s", account: account, version: version) { try $0.plan() }
        let agreements = try agreements(plan)
        return try vault.look(service: "s", account: account, version: version) { view in
            (view.item, try view.value(classKeys: keys, agreements: agreements))
        }
    }

    private func text(_ version: UInt64) throws -> String {
        String(decoding: revealed(try read(version).value), as: UTF8.self)
    }

    /// The number of former values in the file, whether anybody may still have them or not.
    private func stored() throws -> Int { try vault.verify().formerValues }

    @Test func theLastThreeComeBackForThirtyDays() throws {
        let first = try set("1")
        for number in 2...5 {
            fixture.advance(milliseconds: 1000)
            try set("\(number)")
        }
        let found = try vault.history(service: "s", account: nil)
        #expect(found.item.id == first.id && found.versions.map(\.version) == [4, 3, 2])
        #expect(try text(4) == "4" && text(2) == "2" && text(5) == "5")
        #expect(vaultError { _ = try text(1) } == .notFound)
        #expect(vaultError { _ = try text(6) } == .notFound)
        #expect(try stored() == 3)
        // The newest was replaced now, and set a second before.
        let now = fixture.clock.withLock { $0 }
        #expect(found.versions[0].valueSet == now - 1000 && found.versions[0].until == now + 30 * Self.day)
        fixture.advance(milliseconds: 30 * Self.day - 1000)
        #expect(try versions() == [4])
        fixture.advance(milliseconds: 1000)
        // Nobody has written, but nobody gets it either.
        #expect(try versions() == [])
        #expect(vaultError { _ = try text(4) } == .notFound)
        #expect(try stored() == 3)
        fixture.advance(milliseconds: 3_600_000)
        try set("of another item", .whenUnlocked, "b")
        #expect(try stored() == 0)
        #expect(try text(5) == "5")
    }

    @Test func aFormerValueHasTheAccessControlThatItHad() throws {
        try set("gated", gated)
        try set("open", AccessControl(.whenUnlocked, isThisDeviceOnly: true))
        let former = try vault.history(service: "s", account: "a").versions
        #expect(former.map(\.version) == [1] && former[0].access == gated)
        let keys = try fixture.unlock(vault)
        #expect(
            vaultError {
                _ = try vault.look(service: "s", account: "a", version: 1) { try $0.value(classKeys: keys) }
            } == .invalidArgument)
        // The agreement for another version's point opens it neither.
        try set("gated, too", gated, "b")
        let other = try agreements(vault.look(service: "s", account: "b") { try $0.plan() })
        #expect(
            vaultError {
                _ = try vault.look(service: "s", account: "a", version: 1) {
                    try $0.value(classKeys: keys, agreements: other)
                }
            } == .invalidArgument)
        #expect(try text(1) == "gated")
    }

    @Test func onlyAValueThatWasReplacedIsKept() throws {
        var item = try set("1")
        item = try vault.edit(item, changes: MetadataChanges(label: "L"))
        item = try vault.rename(item, service: "s", account: "c")
        item = try vault.rename(item, service: "s", account: "a")
        item = try vault.reseal(item, value: secret("1"), access: AccessControl(.afterFirstUnlock))
        #expect(item.version == 2)
        #expect(try versions() == [] && stored() == 0)
    }

    @Test func aRenamedItemKeepsThem() throws {
        try set("1")
        let item = try set("2")
        try vault.rename(item, service: "s", account: "b")
        #expect(try versions("b") == [1])
        let (former, value) = try read(1, "b")
        #expect(former.metadata.account == "b" && revealed(value) == Array("1".utf8))
        // Another item of the former name has none.
        try set("3")
        #expect(try versions() == [])
    }

    /// What a person removed from the item is not kept with its former values.
    @Test func labelsStayNotBehind() throws {
        var draft = try ItemDraft.make("s", "a", "1")
        (draft.label, draft.comment, draft.attributes) = ("L", "C", ["k": "v"])
        try vault.set(draft)
        try set("2")
        let former = try read(1).item.metadata
        #expect(former.label == nil && former.comment == nil && former.attributes.isEmpty)
        let restored = try vault.restore(read(1).item, value: secret("1")).metadata
        #expect(restored.label == "L" && restored.comment == "C" && restored.attributes == ["k": "v"])
    }

    @Test func goneWithTheItem() throws {
        try set("1")
        let item = try set("2")
        let epoch = vault.epoch
        try vault.delete(item)
        #expect(vault.epoch == epoch + 1)
        #expect(try stored() == 0)
        #expect(try set("3").version == 1)
        #expect(try versions() == [])
    }

    @Test func goneWhenTheAccessIsTightened() throws {
        try set("1")
        try set("2")
        let epoch = vault.epoch
        // By another value.
        try set("3", gated)
        #expect(try versions() == [] && stored() == 0 && vault.epoch == epoch + 1)
        // By the same value.
        try set("1", .whenUnlocked, "b")
        let item = try set("2", .whenUnlocked, "b")
        try vault.reseal(item, value: secret("2"), access: gated)
        #expect(try versions("b") == [] && stored() == 0)
        // Looser in every respect: what was gated stays, and stays gated.
        try set("4", gated)
        try set("5", AccessControl(.whenUnlocked, isThisDeviceOnly: true))
        #expect(try versions() == [4, 3] && stored() == 2)
    }

    /// Whoever changes an application password wants the former one to open nothing.
    @Test func goneWhenTheApplicationPasswordMayBeAnother() throws {
        let access = try AccessControl(requirements: [.applicationPassword])
        func draft(_ value: String) throws -> ItemDraft {
            var draft = try ItemDraft.make("s", "a", value, access)
            draft.applicationPassword = try StretchedPassword(secret("open"))
            return draft
        }
        try vault.set(draft("1"))
        let item = try vault.set(draft("2")).item
        #expect(try versions() == [1])
        let epoch = vault.epoch
        try vault.reseal(
            item, value: secret("2"), access: access, applicationPassword: StretchedPassword(secret("other")))
        #expect(try versions() == [] && stored() == 0 && vault.epoch == epoch + 1)
    }

    @Test func goneWithTheFormerKey() throws {
        try set("1")
        let item = try set("2")
        try vault.rotate(item, value: secret("2"))
        #expect(try versions() == [] && stored() == 0)
    }

    @Test func anExpiredValueIsNotKept() throws {
        var draft = try ItemDraft.make("s", "a", "1")
        draft.expires = fixture.clock.withLock { $0 } + 1000
        try vault.set(draft)
        draft.value = try secret("2")
        try vault.set(draft)
        #expect(try versions() == [1])
        fixture.advance(milliseconds: 1000)
        #expect(vaultError { _ = try vault.history(service: "s", account: "a") } == .notFound)
        #expect(vaultError { _ = try text(1) } == .notFound)
        try set("3")
        #expect(try versions() == [] && stored() == 0)
    }

    @Test func restored() throws {
        try set("1")
        try set("2")
        fixture.advance(milliseconds: 5)
        let item = try vault.restore(read(1).item, value: read(1).value)
        #expect(item.version == 3 && item.metadata.valueSet == fixture.clock.withLock { $0 })
        #expect(try fixture.value(vault, "s", "a") == Array("1".utf8))
        // The present value became a former one, and can be brought back in turn.
        #expect(try versions() == [2])
        try vault.restore(read(2).item, value: read(2).value)
        #expect(try fixture.value(vault, "s", "a") == Array("2".utf8) && versions() == [3])
        #expect(vaultError { try vault.restore(item, value: secret("no such version")) } == nil)
        #expect(vaultError { try vault.restore(item, value: secret("no such version")) } == .changed)
        _ = try vault.verify()
    }

    /// Malware has replaced a gated value by one of its own that anybody can read. What the person brings back is
    /// gated as it was.
    @Test func whatIsRestoredIsNotLooser() throws {
        try set("gated", gated)
        try set("malware's", AccessControl(.whenUnlocked, isThisDeviceOnly: true))
        let item = try vault.restore(read(1).item, value: read(1).value)
        #expect(item.access == gated)
        #expect(try versions() == [] && stored() == 0)
        let keys = try fixture.unlock(vault)
        #expect(vaultError { _ = try vault.value(of: item, classKeys: keys) } == .invalidArgument)
    }

    @Test func theVaultsOwnerChoosesHowMany() throws {
        #expect(try vault.history == .standard)
        for number in 1...5 { try set("\(number)") }
        for number in 1...3 { try set("\(number)", .whenUnlocked, "b") }
        let epoch = vault.epoch
        try vault.put(HistorySetting(count: 5, days: 60))
        #expect(vault.epoch == epoch)
        try set("6")
        #expect(try versions() == [5, 4, 3, 2])
        // Fewer from this moment on, in the whole file, and an older copy does not bring them back.
        try vault.put(HistorySetting(count: 1, days: 60))
        #expect(try versions() == [5] && versions("b") == [2] && stored() == 2 && vault.epoch == epoch + 1)
        fixture.advance(milliseconds: 2 * Self.day)
        try vault.put(HistorySetting(count: 1, days: 1))
        #expect(try stored() == 0 && vault.epoch == epoch + 2)
        try vault.put(HistorySetting(count: 0, days: 30))
        try set("7")
        #expect(try stored() == 0)
        for (count, days) in [(11, 1), (-1, 1), (1, 367), (1, -1)] {
            #expect(vaultError { _ = try HistorySetting(count: count, days: days) } == .invalidArgument)
        }
        try vault.close()
        let again = try fixture.open()
        #expect(try again.history == HistorySetting(count: 0, days: 30))
    }

    /// Renewed keys have no former values, because these would stay under the former keys.
    @Test func aSuccessorHasNone() throws {
        try set("1")
        let item = try set("2")
        try vault.put(HistorySetting(count: 2, days: 7))
        let successor = try fixture.successor(of: vault)
        try successor.takeUp([.plain(item, [FieldValue(.secret, try secret("2"))])])
        let changed = try set("3")
        try successor.takeUp([.plain(changed, [FieldValue(.secret, try secret("3"))])])
        try successor.complete(from: vault, recording: AccessRecord(.rotate))
        #expect(try successor.vault.verify().formerValues == 0)
        #expect(try successor.vault.history(service: "s", account: "a").versions.isEmpty)
        #expect(try successor.vault.history == HistorySetting(count: 2, days: 7))
    }

    /// What the successor has no key for is refused before anything of it is sealed.
    @Test func aSuccessorTakesNothingThatItCannotKeep() throws {
        let item = try set("1")
        let successor = try fixture.successor(of: vault)
        for access in try [
            AccessControl(.passcodeSet), AccessControl(requirements: [.biometryCurrentSet]),
            AccessControl(requirements: [.applicationPassword]),
        ] {
            let other = ItemSummary(
                id: item.id, version: item.version, metadata: item.metadata, access: access, revision: item.revision)
            let code = vaultError { try successor.takeUp([.plain(other, [FieldValue(.secret, secret("1"))])]) }
            #expect(code == .invalidArgument, "\(access)")
            #expect(try successor.vault.count == 0)
        }
    }
}

/// What counts as tighter.
struct TighteningTests {
    private struct Row {
        let former: AccessControl
        let new: AccessControl
        let tightens: Bool
    }

    private static func access(
        _ accessibility: AccessControl.Accessibility = .whenUnlocked, here: Bool = false,
        _ requirements: Set<AccessControl.Requirement> = [],
        any: Bool = false
    ) throws -> AccessControl {
        try AccessControl(accessibility, isThisDeviceOnly: here, requirements: requirements, anyIsEnough: any)
    }

    private static func rows() throws -> [Row] {
        try [
            // The class.
            Row(former: access(), new: access(), tightens: false),
            Row(former: access(), new: access(.afterFirstUnlock), tightens: false),
            Row(former: access(.afterFirstUnlock), new: access(), tightens: true),
            Row(former: access(here: true), new: access(.always), tightens: false),
            Row(former: access(.always), new: access(here: true), tightens: true),
            Row(former: access(.passcodeSet), new: access(here: true), tightens: false),
            Row(former: access(here: true), new: access(.passcodeSet), tightens: true),
            // The device.
            Row(former: access(here: true), new: access(), tightens: false),
            Row(former: access(), new: access(here: true), tightens: true),
            Row(former: access(.afterFirstUnlock), new: access(.always), tightens: true),
            // The requirements.
            Row(former: access(), new: access([.userPresence]), tightens: true),
            Row(former: access([.userPresence]), new: access(), tightens: false),
            Row(former: access([.userPresence, .devicePasscode]), new: access([.userPresence]), tightens: false),
            Row(former: access([.userPresence]), new: access([.userPresence, .devicePasscode]), tightens: true),
            Row(
                former: access([.userPresence]), new: access([.userPresence, .devicePasscode], any: true),
                tightens: false),
            Row(
                former: access([.userPresence, .devicePasscode], any: true), new: access([.userPresence]),
                tightens: true),
            Row(
                former: access([.userPresence, .devicePasscode]),
                new: access([.userPresence, .devicePasscode], any: true), tightens: false),
            Row(
                former: access([.userPresence, .devicePasscode], any: true),
                new: access([.userPresence, .devicePasscode]), tightens: true),
            // These cannot be compared.
            Row(former: access([.biometryAny]), new: access([.userPresence]), tightens: true),
            Row(former: access([.biometryCurrentSet]), new: access([.biometryAny]), tightens: true),
            Row(former: access([.userPresence]), new: access([.applicationPassword]), tightens: true),
            // Looser in one respect and tighter in another.
            Row(former: access([.userPresence]), new: access(here: true), tightens: true),
            Row(former: access(), new: access(.afterFirstUnlock, here: false, [.userPresence]), tightens: true),
        ]
    }

    private static func access(_ requirements: Set<AccessControl.Requirement>, any: Bool = false) throws
        -> AccessControl
    {
        try access(.whenUnlocked, here: false, requirements, any: any)
    }

    @Test func table() throws {
        for row in try Self.rows() { #expect(row.new.tightens(row.former) == row.tightens, "\(row)") }
    }
}
