import Authorization
import BrokerProtocol
import Synchronization
import Vault

/// What all vaults stand on.
struct VaultGround: Sendable {
    let directory: String
    let registry: Registry
    let sealer: any Sealer
    let sealerThread: SealerThread
    let challenges: ChallengeBook
    var clock = BrokerClock.system
    var lockTimes = LockTimes()
    /// How long making keys may take, and bringing a counter forward: a slow TPM needs many seconds for it, and a person waits for it once.
    var makingTime = Duration.seconds(60)
    /// How long the TPM waits for a signature.
    var signatureTime = Duration.seconds(5)
}

/// One keeper for each owner who was ever asked for. A keeper without an open vault is a few hundred bytes.
final class VaultShelf: Sendable {
    let ground: VaultGround
    /// Whether abandoned groups will be looked for by themselves.
    let isGroupWatchSet = Mutex(false)
    private let keepers = Mutex<[Owner: VaultKeeper]>([:])

    init(ground: VaultGround) { self.ground = ground }

    /// When vaults were locked.
    var lockTimes: LockTimes { ground.lockTimes }

    func keeper(of owner: Owner) -> VaultKeeper {
        keepers.withLock { keepers in
            if let keeper = keepers[owner] { return keeper }
            let keeper = VaultKeeper(owner: owner, ground: ground)
            keepers[owner] = keeper
            return keeper
        }
    }

    /// Locks a vault, if it was ever asked for, and those of groups that it kept open; their keys are gone when this returns.
    /// - Parameter program: who asked for it.
    func lock(_ owner: Owner, by program: AccessRecord.Program? = nil) async {
        lockOwn(owner, by: program)
        await lockAbandonedGroups()
    }

    /// Locks a vault, and leaves those of groups for later; its keys are gone when this returns. It waits for nobody.
    func lockOwn(_ owner: Owner, by program: AccessRecord.Program? = nil) {
        lockTimes.note(owner)
        known(owner)?.lock(by: program)
    }

    /// Locks a user's vault that was not used for long.
    func lockUnused(_ uid: UInt32) async {
        known(.user(uid))?.lockUnused()
        await lockAbandonedGroups()
    }

    /// An authenticator's connection is gone.
    func conversationEnded(_ connection: UInt64) async {
        let all = keepers.withLock { Array($0.values) }
        for keeper in all { await keeper.conversationEnded(connection) }
    }

    /// What a user's vault is in. One that cannot be used is taken for locked.
    func condition(of uid: UInt32) async -> VaultCondition {
        // Why it cannot be used is its owner's to learn, when he asks for it.
        (try? await keeper(of: .user(uid)).condition()) ?? .locked
    }

    /// Locks all vaults; all keys are gone when this returns. It waits for nobody.
    func lockAll() {
        lockTimes.noteAll()
        let all = keepers.withLock { Array($0.values) }
        for keeper in all { keeper.lock() }
    }

    /// Has the TPM count what was written to any vault, as far as there is time.
    func fold() async {
        let all = keepers.withLock { Array($0.values) }
        // Sleep is held until this returns, and logind does not wait for ever.
        await TimeLimit.wait(Self.patience) {
            await withTaskGroup(of: Void.self) { group in
                for keeper in all { group.addTask { await keeper.fold(isUrgent: true) } }
            }
        }
    }

    /// How long sleep waits for the TPM to count, once the keys are gone: less than logind's `InhibitDelayMaxSec`.
    private static let patience = Duration.seconds(3)

    private func known(_ owner: Owner) -> VaultKeeper? { keepers.withLock { $0[owner] } }

    /// All vaults that are unlocked, by owner.
    func unlocked() -> [Owner: VaultKeeper] { keepers.withLock { $0 }.filter { $0.value.held.isUnlocked } }

    /// Wipes all keys and closes all files.
    func close() async {
        let all = keepers.withLock { Array($0.values) }
        for keeper in all { keeper.wipe() }
        await withTaskGroup(of: Void.self) { group in
            for keeper in all { group.addTask { await keeper.close() } }
        }
    }
}
