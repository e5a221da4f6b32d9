import Authorization
import BrokerProtocol
import Platform
import RootConfiguration
import TestSupport
import Vault

@testable import Broker

/// What all calls of a broker share, without its sockets, and the calls of one user's process.
struct CoreSample {
    let folder: TemporaryFolder
    let core: BrokerCore
    let caller: Caller

    init(uid: UInt32 = 1000, clock: BrokerClock = .system) throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.vaultDirectory = folder.path
        configuration.registryDirectory = folder.path
        configuration.systemBus = .none
        configuration.bootLog = folder.path + "/log"
        let budgets = UserBudgets.usual
        let challenges = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(600)), clock: clock)
        let sealer = SealerService(SoftwareSealer(directory: folder.path), patience: patience)
        let registry = Registry(directory: folder.path, authenticatorUID: OwnProcess.effectiveUser)
        let store = VaultStore(
            dependencies: VaultDependencies(
                directory: folder.path, registry: registry, sealer: sealer, challenges: challenges, clock: clock,
                leases: LeaseStore(clock: clock), budgets: budgets))
        let logger = LogLines().logger
        core = BrokerCore(
            configuration: configuration, sealer: sealer, vaultStore: store,
            vaultAccess: VaultAccess(registry: registry), challenges: challenges, maker: SealerMaker(sealer),
            locks: try LockWatch(configuration: configuration, vaultStore: store, clock: clock, logger: logger),
            applicationPasswords: ApplicationPasswords(clock: clock, budgets: budgets), budgets: budgets, warnings: [],
            logger: logger)
        caller = Caller(uid: uid, process: try TestAuthenticator.thisProcess(), connection: 1)
        self.folder = folder
    }

    /// A call about a vault that does not exist.
    ///
    /// - Parameter own: the condition of the caller's own vault, if the call is about a group's.
    func request(_ owner: Owner? = nil, as standing: Standing = .own, own: VaultCondition? = nil) -> Request {
        let owner = owner ?? caller.owner
        return Request(
            core: core, caller: caller, vaultActor: core.vaultStore.vaultActor(of: owner),
            condition: VaultCondition.none, admission: Admission(owner: owner, standing: standing, name: nil), own: own,
            secrets: SecretAllowance(core.budgets, for: caller.uid), isAbandoned: { false })
    }
}
