import Authorization
import BrokerProtocol
import Cryptography
import Item
import Platform
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Broker

/// The keys that a lock takes away: when they change, who is told, and whose go first if there is no room.
@Suite(.timeLimit(.minutes(10)))
struct HeldKeysTests {
    private func unlocked(_ fixture: VaultFixture, _ uid: UInt32 = 1) async throws -> VaultActor.OpenState {
        let vaultActor = try await fixture.make(uid)
        return try #require(await vaultActor.open)
    }

    private func isHeld(_ item: ItemSummary, _ state: VaultActor.OpenState) -> Bool {
        state.held.itemKey(of: item.id) != nil
    }

    @Test("each lock and unlock is told once, and has its time from the first of several in a row")
    func told() async throws {
        let fixture = try VaultFixture()
        let state = try await unlocked(fixture)
        let keys = try #require(state.held.keys)
        let told = Mutex<[Keychain.Event.Kind]>([])
        let held = HeldKeys { kind in told.withLock { $0.append(kind) } }
        #expect(held.lock == .sealed && held.keys == nil)
        #expect(!held.lock(at: 1))
        held.seal()
        #expect(told.withLock { $0 } == [])
        #expect(!held.unlock(keys, at: 2) { false })
        #expect(held.lock == .sealed && held.keys == nil)
        for time in [3, 4] as [Int64] { #expect(held.unlock(keys, at: time) { true }) }
        #expect(held.lock == .unlocked(since: 3) && held.isUnlocked)
        #expect(told.withLock { $0 } == [.unlocked])
        #expect(held.lock(at: 5))
        #expect(!held.lock(at: 6))
        #expect(held.lock == .locked(since: 5) && !held.isUnlocked)
        #expect(told.withLock { $0 } == [.unlocked, .locked])
        // A locked vault that is closed was told to be locked already.
        held.seal()
        #expect(held.lock == .sealed && held.keys == nil)
        #expect(told.withLock { $0 } == [.unlocked, .locked])
        #expect(held.unlock(keys, at: 7) { true })
        held.seal()
        #expect(held.lock == .sealed && held.keys == nil)
        #expect(told.withLock { $0 } == [.unlocked, .locked, .unlocked, .locked])
    }

    @Test("other class keys leave no key of an item that they do not open")
    func otherKeys() async throws {
        let fixture = try VaultFixture()
        let state = try await unlocked(fixture)
        let item = try fixture.read("a", state)
        #expect(isHeld(item, state))
        let keys = try #require(state.held.keys)
        #expect(state.held.unlock(keys, at: 1) { true })
        #expect(isHeld(item, state))
        #expect(state.held.unlock(state.vault.alwaysKeys, at: 1) { true })
        #expect(!isHeld(item, state))
        #expect(fixture.budgets.held(.secrets, by: 1) == 0)
    }

    @Test("a change with an unknown outcome wipes all items' keys, and a change of sharing wipes none")
    func unknown() async throws {
        let fixture = try VaultFixture()
        let state = try await unlocked(fixture)
        let items = [try fixture.read("a", state), try fixture.read("b", state)]
        state.held.note([.sharing])
        for item in items { #expect(isHeld(item, state)) }
        state.held.note([.sharing, .unknown])
        for item in items { #expect(!isHeld(item, state)) }
        #expect(fixture.budgets.held(.secrets, by: 1) == 0)
    }

    @Test("of too many keys, the one that was not used for the longest time goes")
    func leastUsed() async throws {
        let fixture = try VaultFixture()
        let state = try await unlocked(fixture)
        let items = try (0..<ItemKeyLimits.vault).map { try fixture.read("\($0)", state) }
        #expect(isHeld(items[0], state))
        let last = try fixture.read("last", state)
        #expect(isHeld(last, state))
        #expect(!isHeld(items[1], state))
        #expect(isHeld(items[0], state) && isHeld(items[2], state))
        // One that is kept again takes no other's place.
        state.held.note([.updated(items[2], from: items[2])])
        _ = try fixture.read("2", state, stores: false)
        #expect(isHeld(items[2], state) && isHeld(items[3], state))
        let size = SecureHeap.room(for: ItemKey.count)
        #expect(fixture.budgets.held(.secrets, by: 1) == ItemKeyLimits.vault * size)
    }

    @Test("a user who needs the room gets that of their own items' keys, and of all only if nothing else is left")
    func shortage() async throws {
        let fixture = try VaultFixture()
        let (own, other) = (try await unlocked(fixture, 1), try await unlocked(fixture, 2))
        let (item, others) = (try fixture.read("a", own), try fixture.read("a", other))
        let (budgets, limit) = (fixture.budgets, fixture.budgets.limits.secrets)
        try budgets.take(limit.user, of: .secrets, for: 1)
        #expect(!isHeld(item, own) && isHeld(others, other))
        budgets.give(back: limit.user, of: .secrets, for: 1)
        let again = try fixture.read("a", own, stores: false)
        #expect(isHeld(again, own))
        for uid in 0..<UInt32(limit.open / limit.user) { try budgets.take(limit.user, of: .secrets, for: 100 + uid) }
        #expect(!isHeld(again, own) && !isHeld(others, other))
    }

    @Test("a lock counts for each vault, whether it was ever asked for or not")
    func times() throws {
        let fixture = try VaultFixture()
        let times = fixture.vaultStore.lockTimes
        let (first, second) = (Owner.user(1), Owner.user(2))
        /// Returns when the clock has gone on.
        func pass(_ time: Int64) { while BootTime.milliseconds <= time {} }
        let start = times.last(of: first)
        #expect(times.last(of: second) == start)
        pass(start)
        fixture.vaultStore.lockOwn(first)
        let own = times.last(of: first)
        #expect(own > start && times.last(of: second) == start)
        pass(own)
        fixture.vaultStore.vaultActor(of: second).lock()
        let others = times.last(of: second)
        #expect(others > own && times.last(of: first) == own)
        pass(others)
        fixture.vaultStore.lockAll()
        #expect(times.last(of: first) > others && times.last(of: second) > others)
        #expect(times.last(of: .group(5)) > others)
    }
}
