import BrokerProtocol
import Logging
import RootConfiguration
import Synchronization
import SystemBus

/// Everything that locks vaults without a call: logind's signals, and time.
struct LockWatch: Sendable {
    /// nil if the configuration switches logind off.
    let logind: LogindWatch?
    let idle: IdleWatch
    /// nil if the configuration switches logind off.
    private let screens: LockedScreens?
    private let configuredIdle: Duration?

    /// - Parameter patience: how long logind may take to answer.
    init(
        configuration: Configuration, vaultStore: VaultStore, clock: BrokerClock, logger: Logger,
        patience: Duration = Bus.patience
    ) throws(BrokerStartError) {
        let configured: Duration? = configuration.idleLock > 0 ? .seconds(configuration.idleLock * 60) : nil
        configuredIdle = configured
        let address: String
        switch configuration.systemBus {
        case .none:
            logind = nil
            screens = nil
            idle = IdleWatch(limit: { configured }, clock: clock) { await vaultStore.lockUnused($0) }
            return
        case .system: address = Bus.systemAddress
        case .address(let other): address = other
        }
        let connection = ConnectionFlag()
        let idle = IdleWatch(limit: { configured ?? (connection.isUp ? nil : LockLimits.idleUnheard) }, clock: clock) {
            await vaultStore.lockUnused($0)
        }
        self.idle = idle
        let screens = LockedScreens(clock: clock)
        self.screens = screens
        let targets = LockTargets(
            lock: { uid in
                vaultStore.lockOwn(.user(uid))
                Task { await vaultStore.lockAbandonedGroups() }
            }, lockAll: { vaultStore.lockAll() }, advanceEpoch: { await vaultStore.advanceEpoch() },
            idle: { idle.sessions(of: $0, areIdle: $1) })
        do throws(BusError) {
            logind = try LogindWatch(
                address: address, targets: targets, connection: connection, screens: screens, clock: clock,
                logger: logger, patience: patience)
        } catch { throw BrokerStartError(reason: "\(error)") }
    }

    /// Whether a graphical session of the user is locked. If logind is switched off, the answer is always open.
    func screen(of uid: UInt32) async -> LockedScreens.Answer { await screens?.answer(for: uid) ?? .open }

    /// For people: what locks the vault without a call now.
    var lines: [String] {
        let causes = causes
        return (causes.screen ? ["screen"] : []) + (causes.sleep ? ["sleep"] : [])
            + (causes.idleMinutes.map { ["\($0) min idle"] } ?? [])
    }

    /// What locks the vault without a call now.
    var causes: Keychain.LockCauses {
        let isHeard = logind?.isConnected ?? false
        return Keychain.LockCauses(
            screen: isHeard, sleep: isHeard, idleMinutes: idleNow.map { $0.components.seconds / 60 })
    }

    /// For people: what should lock the vault, but does not.
    var warnings: [String] {
        guard let logind else { return [] }
        if logind.isConnected {
            return logind.holdsSleep
                ? [] : ["The machine does not wait for Coffer to wipe keys before it sleeps: logind gave no inhibitor."]
        }
        guard logind.isInTrouble else { return [] }
        return ["logind cannot be heard: a locked screen or sleep does not lock this vault."]
    }

    private var idleNow: Duration? {
        configuredIdle ?? (logind.map { !$0.isConnected } ?? false ? LockLimits.idleUnheard : nil)
    }
}

/// The actions of a lock. The thread that listens to logind does not wait for locks: they wipe the keys and leave
/// slow work for later.
struct LockTargets: Sendable {
    /// Locks a user's vault; its keys are gone when this returns. The groups' vaults that it kept open follow later.
    let lock: @Sendable (UInt32) -> Void
    /// Locks all vaults; all keys are gone when this returns.
    let lockAll: @Sendable () -> Void
    /// Advances the epoch for written changes, as far as there is time.
    let advanceEpoch: @Sendable () async -> Void
    /// All of a user's sessions are idle, or one of them is active again.
    let idle: @Sendable (UInt32, Bool) -> Void
}

/// Whether logind can be heard now. `LogindWatch` sets it; the idle limit reads it.
final class ConnectionFlag: Sendable {
    private let value = Atomic(false)

    var isUp: Bool { value.load(ordering: .acquiring) }

    func set(_ isUp: Bool) { value.store(isUp, ordering: .releasing) }
}
