import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Synchronization
import Vault

/// Everything that a lock takes away: a vault's class keys, its unlocked state, and a recovery code that was given
/// out. The vault's actor stores them here and reads them here at each use. A lock wipes them from any thread,
/// even while the actor is busy, and waits for nobody.
final class HeldKeys: Sendable {
    private struct State {
        /// nil if only items that need no unlocking can be read.
        var keys: ClassKeys?
        var lock = VaultActor.LockState.sealed
        var code: UnconfirmedCode?
        /// How often the keys were asked to be wiped.
        var locks: UInt64 = 0
        /// Of items that ask nobody. Each one's class key is here, too, or needs no unlocking.
        var itemKeys = HeldItemKeys()
    }

    private let room: ItemKeyRoom?
    private let state = Mutex(State())
    /// Told of each lock and unlock, in their order, after the keys have changed.
    private let onChange: @Sendable (Keychain.Event.Kind) -> Void

    /// - Parameters:
    ///   - room: nil if no item's key is kept.
    ///   - onChange: must not use this object, and must return soon.
    init(room: ItemKeyRoom? = nil, onChange: @escaping @Sendable (Keychain.Event.Kind) -> Void) {
        self.room = room
        self.onChange = onChange
    }

    deinit { state.withLock { give(back: $0.itemKeys.removeAll()) } }

    /// The present keys; nil if only items that need no unlocking can be read. Do not keep them.
    var keys: ClassKeys? { state.withLock { $0.keys } }

    var lock: VaultActor.LockState { state.withLock { $0.lock } }

    var isUnlocked: Bool { if case .unlocked = lock { true } else { false } }

    /// The recovery code that was given out last, until it is confirmed.
    var code: UnconfirmedCode? { state.withLock { $0.code } }

    /// How many locks came so far, of an open vault or not.
    var lockCount: UInt64 { state.withLock { $0.locks } }

    /// Keeps a recovery code that is given out, in the place of an earlier one.
    ///
    /// - Parameter locks: how many locks had come before the person's answer was taken.
    /// - Returns: false if a lock came since then. The code is not kept.
    func keep(_ code: UnconfirmedCode, ifNoLockSince locks: UInt64) -> Bool {
        state.withLock { state in
            guard state.locks == locks else { return false }
            state.code = code
            return true
        }
    }

    /// Forgets the code. One that is being confirmed is forgotten first, so that no other call confirms it.
    func dropCode() { state.withLock { $0.code = nil } }

    /// Keeps a code again that could not be confirmed, unless a lock or another code came since it was taken.
    func putBack(_ code: UnconfirmedCode, ifNoLockSince locks: UInt64) {
        state.withLock { state in
            guard state.locks == locks, state.code == nil else { return }
            state.code = code
        }
    }

    /// Counts a wrong part of the code, and drops the code after too many. If a lock has dropped it meanwhile,
    /// nothing happens.
    func noteWrongPart() {
        state.withLock { state in
            guard let code = state.code else { return }
            state.code?.tries += 1
            if code.tries + 1 >= RecoveryLimits.tries { state.code = nil }
        }
    }

    /// Stores keys.
    ///
    /// - Parameter isWanted: whether the challenge is still open. A lock drops the challenges before it wipes the
    ///   keys. Checking here, under the mutex, lets no lock come between the answer and the keys.
    /// - Returns: whether the keys were stored.
    func unlock(_ keys: ClassKeys, at time: Int64, if isWanted: () -> Bool) -> Bool {
        state.withLock { state in
            guard isWanted() else { return false }
            state.keys = keys
            dropItemKeys(&state)
            if case .unlocked = state.lock { return true }
            state.lock = .unlocked(since: time)
            onChange(.unlocked)
            return true
        }
    }

    /// Wipes the keys and the recovery code. Keys for items that can be read while the vault is locked stay.
    ///
    /// - Returns: whether the vault was unlocked.
    func lock(at time: Int64) -> Bool {
        state.withLock { state in
            state.locks += 1
            state.code = nil
            guard case .unlocked = state.lock else { return false }
            state.keys = state.keys?.locked()
            dropItemKeys(&state)
            state.lock = .locked(since: time)
            onChange(.locked)
            return true
        }
    }

    /// Another vault is open, or none: these were not its keys.
    func seal() {
        state.withLock { state in
            state.keys = nil
            give(back: state.itemKeys.removeAll())
            guard case .unlocked = state.lock else { return state.lock = .sealed }
            state.lock = .sealed
            onChange(.locked)
        }
    }
}

/// The keys of items that ask nobody. A lock wipes them as it wipes the class keys that open them.
extension HeldKeys: ItemKeyKeeper {
    func itemKey(of item: ItemID) -> ItemKey? { state.withLock { $0.itemKeys.use(item) } }

    func keep(_ key: ItemKey) {
        guard let room else { return }
        state.withLock { state in
            // A lock may have come since the class key was read.
            guard Self.mayStay(key, state.keys) else { return }
            give(back: state.itemKeys.makeRoom(for: key.item))
            guard room.take() else { return }
            state.itemKeys.put(key)
        }
    }

    /// Wipes the keys of items that were written.
    func note(_ changes: [CommittedChange]) {
        state.withLock { state in
            for change in changes {
                switch change {
                case .added(let item), .updated(let item, _), .deleted(let item):
                    give(back: state.itemKeys.remove(item.id))
                case .sharing: break
                case .unknown: give(back: state.itemKeys.removeAll())
                }
            }
        }
    }

    /// Wipes all items' keys, because somebody needs the room. They are made again when the items are read.
    func yieldItemKeys() { state.withLock { give(back: $0.itemKeys.removeAll()) } }

    /// Wipes the keys of items whose class key is gone.
    private func dropItemKeys(_ state: inout State) {
        let keys = state.keys
        give(back: state.itemKeys.removeAll { !Self.mayStay($0, keys) })
    }

    private static func mayStay(_ key: ItemKey, _ keys: ClassKeys?) -> Bool {
        key.accessibility == .always || keys?.contains(key.accessibility) ?? false
    }

    private func give(back count: Int) { room?.give(back: count) }
}

/// When each vault was last locked, open or not. The clock is the one that dates the authenticator's reusable
/// answers.
final class LockTimes: Sendable {
    private struct State {
        /// The time for all vaults. A broker that starts has no keys, so its start counts as a lock.
        var all = BootTime.milliseconds
        var single: [Owner: Int64] = [:]
    }

    private let state = Mutex(State())

    func note(_ owner: Owner) { state.withLock { $0.single[owner] = BootTime.milliseconds } }

    func noteAll() { state.withLock { $0 = State() } }

    /// In milliseconds of the boot clock.
    func last(of owner: Owner) -> Int64 { state.withLock { max($0.all, $0.single[owner] ?? 0) } }
}

/// Keys of items, each in the secure heap. Beyond a number, the one that was not used for the longest time goes.
struct HeldItemKeys {
    private var keys: [ItemID: (key: ItemKey, used: UInt64)] = [:]
    private var uses: UInt64 = 0

    var count: Int { keys.count }

    mutating func use(_ item: ItemID) -> ItemKey? {
        guard let place = keys.index(forKey: item) else { return nil }
        uses += 1
        keys.values[place].used = uses
        return keys.values[place].key
    }

    /// Adds a key. Make room for it first.
    mutating func put(_ key: ItemKey) {
        uses += 1
        keys[key.item] = (key, uses)
    }

    /// Removes the item's former key, or another item's if there are too many.
    ///
    /// - Returns: how many keys were wiped, as all of these do.
    mutating func makeRoom(for item: ItemID) -> Int {
        if keys.removeValue(forKey: item) != nil { return 1 }
        guard keys.count >= ItemKeyLimits.vault, let oldest = keys.min(by: { $0.value.used < $1.value.used }) else {
            return 0
        }
        return remove(oldest.key)
    }

    mutating func remove(_ item: ItemID) -> Int { keys.removeValue(forKey: item) == nil ? 0 : 1 }

    mutating func removeAll(where isGone: (ItemKey) -> Bool = { _ in true }) -> Int {
        let before = keys.count
        keys = keys.filter { !isGone($0.value.key) }
        return before - keys.count
    }
}
