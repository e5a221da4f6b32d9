import Authorization
import Circle
import Cryptography
import Item
import TestSupport
import Testing

@testable import Vault

/// Settings of a circle, and members that do harm with them (attackers 11 and 13): a setting never asks, is never another
/// kind's, and no secret becomes one.
struct CircleSettingTests {
    private func pair() throws -> (group: CircleGroup, desk: CircleMachine, laptop: CircleMachine) {
        let group = try CircleGroup("desk", "laptop")
        return (group, group.machines[0], group.machines[1])
    }

    /// Gives out changes as if they were a machine's own, and lets another one take them.
    private func give(
        _ changes: [CarriedChange], of machine: CircleMachine, to others: CircleMachine..., over store: CircleStore
    ) throws {
        try machine.give([.changes(changes)])
        try machine.put(store)
        for other in others { try other.sync(store) }
    }

    private func change(
        _ part: SharedPart, _ content: PartContent, of item: SharedItem, by writer: WriterID, at clock: UInt64
    ) throws -> PartChange {
        try PartChange(
            item: item.id, part: part, stamp: PartStamp(at: clock, replacing: [], writer: writer), replacing: [],
            content: content)
    }

    @Test func aSettingTravelsAndTheLastWriterCounts() throws {
        let (group, desk, laptop) = try pair()
        try desk.set(setting: "theme", "dark")
        try group.settle()
        #expect(try laptop.setting("theme") == "dark")
        #expect(try laptop.find(setting: "theme").access == .afterFirstUnlock)
        try desk.set(setting: "theme", "blue")
        try laptop.set(setting: "theme", "light")
        for machine in group.machines { try machine.set(setting: "new", machine.name.text) }
        try group.settle()
        for machine in group.machines {
            #expect(try machine.setting("theme") == "light")
            #expect(try machine.setting("new") == "laptop")
            #expect(try machine.vault.list(kind: .setting).count == 2)
        }
        // Nobody is told, and nobody keeps the others.
        #expect(try group.counts() == [0])
        try laptop.vault.delete(service: "app", account: "theme", kind: .setting)
        try group.settle()
        #expect(try desk.vault.list(kind: .setting).count == 1)
    }

    /// A member requires a person for a setting. Nobody asks for it, and a new machine gets it all the same.
    @Test func whatAMemberRequiresOfASettingIsLeftOut() throws {
        let (group, desk, laptop) = try pair()
        try desk.set(setting: "theme", "dark")
        try group.settle()
        for access in [
            AccessControl.afterFirstUnlock.requiring(.userPresence), .whenUnlocked,
            .afterFirstUnlock.requiring(.applicationPassword),
        ] {
            let (writer, item, _) = try laptop.writer()
            try give(
                writer.guardItem(item, by: access).map { try CarriedChange($0) }, of: laptop, to: desk,
                over: group.store)
            #expect(try desk.find(setting: "theme").access == .afterFirstUnlock)
            #expect(try desk.setting("theme") == "dark")
        }
        try desk.set(setting: "theme", "light")
        try desk.sync(group.store)
        let phone = try CircleMachine("phone", clock: 1_800_001_000_000)
        try phone.join(desk)
        try desk.put(group.store)
        for machine in [phone, desk, phone] { try machine.sync(group.store) }
        #expect(try phone.find(setting: "theme").access == .afterFirstUnlock)
        #expect(try phone.setting("theme") == "light")
        // Nothing is said again and again.
        let before = group.store.files
        for machine in [desk, phone] { try machine.sync(group.store) }
        #expect(group.store.files == before)
    }

    /// A member gives a secret another name, of kind setting; and the other way round.
    @Test(arguments: [ItemKind.genericPassword, .setting]) func noMemberChangesAKind(_ kind: ItemKind) throws {
        let (group, desk, laptop) = try pair()
        let other: ItemKind = kind == .setting ? .genericPassword : .setting
        if kind == .setting {
            try desk.set(setting: "theme", "value")
        } else {
            try desk.set("app", "theme", "value", .afterFirstUnlock)
        }
        try group.settle()
        let (writer, item, _) = try laptop.writer()
        let name = ItemName(service: "app", account: "theme", itemClass: other)
        try give(
            [
                CarriedChange(
                    change(.name, .name(name), of: item, by: writer.writer, at: 1_900_000_000_000))
            ], of: laptop, to: desk, over: group.store)
        #expect(try desk.vault.list(service: "app", kind: other).isEmpty)
        let here = try desk.vault.find(service: "app", account: "theme", kind: kind)
        #expect(here.access == .afterFirstUnlock)
        // A machine that comes later has neither, because it cannot know which one is true.
        let phone = try CircleMachine("phone", clock: 1_800_001_000_000)
        try phone.join(desk)
        try desk.put(group.store)
        for machine in [phone, desk, phone] { try machine.sync(group.store) }
        #expect(try phone.vault.list(service: "app", kind: other).isEmpty)
        // The one that has it goes on with it, and repeats nothing.
        let before = group.store.files
        for machine in [desk, phone] { try machine.sync(group.store) }
        #expect(group.store.files == before)
        _ = try desk.vault.verify()
    }

    /// A member calls a secret that a lock closes a setting. What a value was sealed under decides, not what it is called.
    @Test func aSecretThatALockClosesBecomesNoSetting() throws {
        let (group, desk, laptop) = try pair()
        try desk.set(setting: "theme", "dark")
        try group.settle()
        let (writer, item, _) = try laptop.writer()
        for (access, isTaken) in [
            (AccessControl.afterFirstUnlock, true), (.whenUnlocked, false), (.always, false),
            (.afterFirstUnlock.requiring(.userPresence), false),
        ] {
            let field = try #require(
                SealedField(
                    revision: [UInt8](repeating: 1, count: 16), digest: [UInt8](repeating: 2, count: 32), access: access
                ))
            let value = try change(
                .field(.secret), .value(field), of: item, by: writer.writer, at: 1_900_000_000_000)
            #expect(SettingRule.permits(value, .secret, of: .setting) == isTaken)
            #expect(SettingRule.permits(value, .secret, of: .genericPassword))
            #expect(!SettingRule.permits(value, .notes, of: .setting))
        }
    }

    /// A member gives a setting a second field.
    @Test func anotherFieldIsLeftOut() throws {
        let (group, desk, laptop) = try pair()
        try desk.set(setting: "theme", "dark")
        try group.settle()
        let (writer, item, view) = try laptop.writer()
        let shown = try #require(item.shown(.field(.secret)))
        let value = try #require(try view.value(of: shown)).value
        guard case .value(let field)? = shown.content else { return }
        let other = try change(.field(.notes), .value(field), of: item, by: writer.writer, at: 1_900_000_000_000)
        // A member can seal a value for that field, too. The rule does not ask what it would open as.
        #expect(!SettingRule.permits(other, .notes, of: .setting))
        #expect(SettingRule.permits(other, .notes, of: .genericPassword))
        try give([CarriedChange(other, value)], of: laptop, to: desk, over: group.store)
        #expect(try desk.find(setting: "theme").metadata.fields.map(\.name) == [.secret])
        #expect(try desk.setting("theme") == "dark")
        try desk.set(setting: "theme", "light")
        #expect(try desk.setting("theme") == "light")
    }

    /// Other machines have more settings than a vault takes. The rest waits, and holds up nothing.
    @Test func moreThanAServiceMayHaveHoldsUpNothing() throws {
        let (group, desk, laptop) = try pair()
        for (machine, name) in [(desk, "d"), (laptop, "l")] {
            for start in stride(from: 0, to: 640, by: 128) {
                try machine.vault.apply(
                    (start..<start + 128).map { number in
                        .set(try CircleMachine.setting("\(name)\(number)", "v"), mode: .replace, ifRevision: nil)
                    })
            }
        }
        try desk.set("bank", "me", "secret")
        try desk.sync(group.store)
        let taken = try laptop.sync(group.store)
        #expect(try laptop.vault.list(kind: .setting).count == 1_024)
        #expect(taken.obstacles["no-room"] == 2 * 640 - 1_024)
        #expect(try laptop.get("bank", "me") == "secret")
        // Room is made, and the rest comes.
        for number in 0..<300 { try laptop.vault.delete(service: "app", account: "l\(number)", kind: .setting) }
        for machine in [laptop, desk, laptop] { try machine.sync(group.store) }
        #expect(try laptop.vault.list(kind: .setting).count == 2 * 640 - 300)
        _ = try laptop.vault.verify()
    }
}

extension CircleMachine {
    static func setting(_ account: String, _ value: String) throws -> ItemDraft {
        ItemDraft(
            service: "app", account: account, kind: .setting, value: try SecretBytes(copying: Array(value.utf8)),
            access: PartialAccess())
    }

    func set(setting account: String, _ value: String) throws {
        fixture.advance(milliseconds: 1000)
        try vault.set(Self.setting(account, value))
    }

    func find(setting account: String) throws -> ItemSummary {
        try vault.find(service: "app", account: account, kind: .setting)
    }

    func find(_ service: String, _ account: String) throws -> ItemSummary {
        try vault.find(service: service, account: account)
    }

    func setting(_ account: String) throws -> String {
        let value = try vault.value(of: find(setting: account), classKeys: classKeys)
        return String(decoding: revealed(value), as: UTF8.self)
    }
}
