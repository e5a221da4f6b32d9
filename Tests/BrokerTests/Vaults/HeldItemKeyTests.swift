import Authorization
import Cryptography
import Item
import Platform
import TestSupport
import Testing
import Vault

@testable import Broker

/// The keys of items that ask nobody, in the broker's memory. They go wherever their class keys go.
struct HeldItemKeyTests {
    private let budgets = UserBudgets.usual
    private let uid = OwnProcess.effectiveUser
    private static let classes: [AccessControl.Accessibility] = [.whenUnlocked, .afterFirstUnlock, .always]

    private func unlocked() async throws -> (VaultActor, VaultActor.OpenState, TemporaryFolder) {
        let (vaultActor, _, _, folder) = try await unlockedVault(budgets: budgets)
        return (vaultActor, try #require(await vaultActor.open), folder)
    }

    private func draft(_ account: String, _ access: AccessControl, expires: UInt64? = nil) throws -> ItemDraft {
        ItemDraft(
            service: "s", account: account, value: try SecretBytes(copying: Array("value".utf8)), access: access,
            expires: expires)
    }

    /// Reads as a call does.
    @discardableResult
    private func read(_ account: String, _ state: VaultActor.OpenState) throws -> ItemSummary {
        try state.vault.look(service: "s", account: account) { view in
            let value = try view.values(classKeys: state.keys, keeper: state.held)[0].value
            #expect(value == (try SecretBytes(copying: Array("value".utf8))))
            return view.item
        }
    }

    /// One item of each class, read.
    private func items(_ state: VaultActor.OpenState) throws -> [AccessControl.Accessibility: ItemSummary] {
        var items: [AccessControl.Accessibility: ItemSummary] = [:]
        for accessibility in Self.classes {
            try state.vault.set(draft("\(accessibility)", AccessControl(accessibility)))
            items[accessibility] = try read("\(accessibility)", state)
            try read("\(accessibility)", state)
        }
        return items
    }

    private func isHeld(_ item: ItemSummary?, _ state: VaultActor.OpenState) throws -> Bool {
        state.held.itemKey(of: try #require(item).id) != nil
    }

    @Test("a lock wipes the keys of the items that it closes, and keeps those whose class key stays")
    func lock() async throws {
        let (vaultActor, state, folder) = try await unlocked()
        let items = try items(state)
        for accessibility in Self.classes { #expect(try isHeld(items[accessibility], state)) }
        vaultActor.lock()
        #expect(try !isHeld(items[.whenUnlocked], state))
        #expect(try isHeld(items[.afterFirstUnlock], state) && isHeld(items[.always], state))
        #expect(throws: VaultError.self) { try read("\(AccessControl.Accessibility.whenUnlocked)", state) }
        try read("\(AccessControl.Accessibility.afterFirstUnlock)", state)
        await vaultActor.close()
        #expect(try !isHeld(items[.afterFirstUnlock], state) && !isHeld(items[.always], state))
        #expect(budgets.held(.secrets, by: uid) == 0)
        withExtendedLifetime(folder) {}
    }

    @Test("a read that a lock overtakes keeps nothing")
    func overtaken() async throws {
        let (vaultActor, state, folder) = try await unlocked()
        let item = try state.vault.set(draft("a", .whenUnlocked)).item
        let keys = state.keys
        try state.vault.look(service: "s", account: "a") { view in
            vaultActor.lock()
            _ = try view.values(classKeys: keys, keeper: state.held)
        }
        #expect(try !isHeld(item, state))
        await vaultActor.close()
        withExtendedLifetime(folder) {}
    }

    @Test("each change of an item wipes its key, and no other")
    func changes() async throws {
        let (vaultActor, state, folder) = try await unlocked()
        let vault = state.vault
        let value = try SecretBytes(copying: Array("value".utf8))
        let other = try items(state)[.always]
        try vault.set(draft("a", .whenUnlocked))
        let steps: [(ItemSummary) throws -> Void] = [
            { try vault.edit($0, changes: MetadataChanges(label: "l")) },
            { try vault.rotate($0, [FieldValue(.secret, value)]) },
            { try vault.reseal($0, [FieldValue(.secret, value)], access: .afterFirstUnlock) },
            { _ in try vault.set(draft("a", .whenUnlocked)) },
            { try vault.delete($0) },
        ]
        for (number, step) in steps.enumerated() {
            let item = try read("a", state)
            #expect(try isHeld(item, state), "step \(number)")
            try step(item)
            #expect(try !isHeld(item, state), "step \(number)")
            #expect(try isHeld(other, state), "step \(number)")
        }
        await vaultActor.close()
        withExtendedLifetime(folder) {}
    }

    @Test("the key of an item that asks, or that expires, is never kept")
    func never() async throws {
        let (vaultActor, state, folder) = try await unlocked()
        try state.vault.set(draft("expires", .whenUnlocked, expires: .max))
        #expect(try !isHeld(read("expires", state), state))
        let password = try StretchedPassword(SecretBytes(copying: Array("password".utf8)))
        var draft = try draft("asks", AccessControl.whenUnlocked.requiring(.applicationPassword))
        draft.applicationPassword = password
        let item = try state.vault.set(draft).item
        try state.vault.look(service: "s", account: "asks") { view in
            _ = try view.values(classKeys: state.keys, applicationPassword: password, keeper: state.held)
        }
        #expect(try !isHeld(item, state))
        await vaultActor.close()
        withExtendedLifetime(folder) {}
    }

    @Test("keys count to the user's secrets, and make room for calls")
    func room() async throws {
        let (vaultActor, state, folder) = try await unlocked()
        let count = ItemKeyLimits.vault + 20
        for number in 0..<count { try state.vault.set(draft("\(number)", .whenUnlocked)) }
        let items = try (0..<count).map { try read("\($0)", state) }
        let size = SecureHeap.room(for: ItemKey.count)
        #expect(budgets.held(.secrets, by: uid) == ItemKeyLimits.vault * size)
        #expect(try !isHeld(items.first, state) && isHeld(items.last, state))
        // The store of all vaults gives the user's keys up, and nobody else's.
        budgets.onShortage { _, uid in
            #expect(uid == self.uid)
            state.held.yieldItemKeys()
        }
        try budgets.take(budgets.limits.secrets.user, of: .secrets, for: uid)
        #expect(try !isHeld(items.last, state))
        // Without room the item is read all the same.
        try read("0", state)
        #expect(try !isHeld(items.first, state))
        budgets.give(back: budgets.limits.secrets.user, of: .secrets, for: uid)
        #expect(try isHeld(read("0", state), state))
        await vaultActor.close()
        #expect(budgets.held(.secrets, by: uid) == 0)
        withExtendedLifetime(folder) {}
    }

    @Test("a group's vault keeps no key, and a broker's vaults yield theirs")
    func owners() throws {
        let dependencies = VaultDependencies(
            directory: "/nonexistent", registry: Registry(directory: "/nonexistent", authenticatorUID: uid),
            sealer: SealerService(SoftwareSealer(directory: "/nonexistent")),
            challenges: ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: .system),
            budgets: budgets)
        #expect(dependencies.itemKeyRoom(of: .group(7)) == nil)
        #expect(dependencies.itemKeyRoom(of: .user(7))?.uid == 7)
        // Half of a user's room is for calls alone.
        let limit = budgets.limits.secrets
        #expect(budgets.takeSpare(limit.user / 2, for: 7))
        #expect(!budgets.takeSpare(1, for: 7))
        // Half of what all may take, too.
        for other in 0..<UInt32(limit.open / limit.user) { _ = budgets.takeSpare(limit.user / 2, for: 100 + other) }
        #expect(budgets.total(.secrets) <= limit.open / 2)
    }
}
