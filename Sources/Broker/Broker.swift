import Authorization
import Logging
import NIOCore
import NIOPosix
import Platform
import RootConfiguration
import ServiceLifecycle
import ServiceManager
import Synchronization
import SystemBus
import Vault

/// The broker: two sockets, the vaults behind them, and the sealer behind the vaults.
public final class Broker: Service {
    /// Settings that differ between the service and a test.
    public struct Options: Sendable {
        /// A listening socket that the service manager passed on; nil to bind `socket` of the configuration.
        public var clientSocket: Int32?
        public var clock = BrokerClock.system
        /// How long a message may take from its first byte to its last.
        public var messageTimeLimit = ConnectionLimits.message
        /// How long a client may take to read an answer.
        public var answerTimeLimit = ConnectionLimits.answer
        /// How long a connection may be idle. The limit is shorter when there are many connections.
        public var idleTimeLimit = ConnectionLimits.idle
        /// Asks the name service whether an account exists; nil for the machine's own name service.
        public var accounts: (@Sendable (UInt32) throws -> Bool)?
        /// How many connections all users together may have at the same time. It is at most half of the available
        /// descriptors.
        public var connections = ConnectionLimits.all
        /// How long a call waits for the TPM.
        public var sealerTimeLimit = SealerLimits.call
        /// How long the TPM waits for a signature.
        public var signatureTimeLimit = SealerLimits.signature
        /// How long logind may take for an answer.
        public var busTimeLimit = Bus.patience
        /// How long running calls may take to finish when the broker stops.
        public var stopTimeLimit = ConnectionLimits.stop

        public init() {}
    }

    /// This may be more than there are processors. Users who read and write at the same time have a loop each, and
    /// the kernel shares out the processors.
    private static let eventLoops = 4

    private struct Running {
        var listeners: [Listener] = []
        var groups: [MultiThreadedEventLoopGroup] = []
    }

    private let configuration: Configuration
    private let options: Options
    private let core: BrokerCore
    private let authenticatorUID: UInt32
    private let calls = RunningCalls()
    private let running = Mutex(Running())

    /// - Parameter sealer: the one that the configuration names.
    /// - Throws: `BrokerStartError` if the broker must not run with this configuration.
    public init(configuration: Configuration, sealer: any Sealer, logger: Logger, options: Options = Options())
        throws(BrokerStartError)
    {
        self.configuration = configuration
        self.options = options
        self.authenticatorUID = try BrokerStart.authenticatorUID(configuration)
        let challenges = ChallengeStore(
            limits: ChallengeLimits(
                openPerUser: configuration.authenticationsPerUser,
                life: .seconds(configuration.promptTimeout + ChallengeLimits.secondsAfterPrompt)),
            clock: options.clock)
        let service = SealerService(sealer, patience: options.sealerTimeLimit)
        let descriptors: Int
        do throws(SystemError) { descriptors = try DescriptorLimit.raise(to: ConnectionLimits.descriptors) } catch {
            throw BrokerStartError(reason: "\(error)")
        }
        // A connection takes two. At least half of the descriptors are kept for vaults, the TPM and the authenticator.
        let budgets = UserBudgets(
            limits: .clients(
                connectionsPerUser: configuration.connectionsPerUser,
                connections: min(options.connections, descriptors / 4)))
        let dependencies = VaultDependencies(
            directory: configuration.vaultDirectory,
            registry: Registry(directory: configuration.registryDirectory, authenticatorUID: authenticatorUID),
            sealer: service, challenges: challenges, clock: options.clock, leases: LeaseStore(clock: options.clock),
            indexes: IndexBudget(perUser: configuration.indexesPerUser), budgets: budgets,
            signatureTime: options.signatureTimeLimit)
        let vaultStore = VaultStore(dependencies: dependencies)
        self.core = BrokerCore(
            configuration: configuration, sealer: service, vaultStore: vaultStore,
            vaultAccess: VaultAccess(registry: dependencies.registry), challenges: challenges,
            maker: SealerMaker(service),
            locks: try LockWatch(
                configuration: configuration, vaultStore: vaultStore, clock: options.clock, logger: logger,
                patience: options.busTimeLimit),
            applicationPasswords: ApplicationPasswords(clock: options.clock, budgets: budgets), budgets: budgets,
            warnings: BrokerStart.warnings(configuration, sealer: sealer.kind), logger: logger)
    }

    /// Opens the sockets and begins to answer calls.
    public func start() async throws {
        core.maker.ask()
        core.locks.logind?.start()
        let pace = Connection.Pace(
            message: .init(options.messageTimeLimit), answer: .init(options.answerTimeLimit),
            idle: options.idleTimeLimit)
        // The private socket opens first, so that the authenticator can be reached as soon as clients can call.
        let isOpenToOthers = authenticatorUID != 0 && authenticatorUID != OwnProcess.effectiveUser
        let privateSocket = try UnixListener(
            path: configuration.authenticatorSocket, mode: isOpenToOthers ? 0o666 : 0o600)
        let authenticators = AuthenticatorInterface(core: core, authenticatorUID: authenticatorUID)
        let listener = try listen(
            on: privateSocket, threads: 1, authenticators, UserBudgets(limits: .authenticator), nil, pace)
        // The listener has the challenges, too, so they do not keep it.
        core.challenges.endQuestions { [weak listener] in listener?.end($0) }
        let clientSocket =
            if let socket = options.clientSocket {
                UnixListener(adopting: Descriptor(adopting: socket))
            } else { try UnixListener(path: configuration.socket, mode: 0o666) }
        // The broker itself depends on these accounts, so it does not look them up.
        let exempt: Set<UInt32> = [0, authenticatorUID, OwnProcess.effectiveUser]
        let users =
            if let accounts = options.accounts {
                KnownUsers(exempt: exempt, clock: options.clock, lookUp: accounts)
            } else { KnownUsers(exempt: exempt, clock: options.clock) }
        _ = try listen(
            on: clientSocket, threads: Self.eventLoops, KeychainInterface(core: core), core.budgets, users, pace)
        core.logger.notice("ready")
    }

    private func listen(
        on socket: consuming UnixListener, threads: Int, _ served: any ServedInterface, _ budgets: UserBudgets,
        _ users: KnownUsers?, _ pace: Connection.Pace
    ) throws(SystemError) -> Listener {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        running.withLock { $0.groups.append(group) }
        let listener = try Listener.start(
            on: socket, group: group,
            Listener.Dependencies(
                served: served, budgets: budgets, users: users, calls: calls, pace: pace, threads: UserThreads(group),
                logger: core.logger))
        running.withLock { $0.listeners.append(listener) }
        return listener
    }

    /// Accepts no more calls, lets running calls finish, wipes all keys and closes all vaults.
    public func stop() async {
        let (listeners, groups) = running.withLock { running in
            defer { running = Running() }
            return (running.listeners, running.groups)
        }
        for listener in listeners { await listener.stopAccepting() }
        // These calls would never end by themselves.
        core.vaultStore.dependencies.events.stop()
        await calls.drain(within: options.stopTimeLimit)
        for listener in listeners { listener.closeConnections() }
        for listener in listeners {
            await listener.waitForConnections(within: ConnectionLimits.close)
            listener.close()
        }
        core.locks.logind?.stop()
        // Their records come before the vaults are closed.
        core.challenges.dropAll()
        core.leases.finish()
        await core.vaultStore.close()
        // `try?`: a thread that does not stop now ends with the process.
        for group in groups { try? await group.shutdownGracefully() }
        core.logger.notice("stopped")
    }

    /// Runs as a service until the process is told to stop.
    public func run() async throws {
        do { try await start() } catch {
            await stop()
            throw error
        }
        ServiceNotification.ready.send()
        // `try?`: cancellation is also a reason to stop in good order.
        try? await gracefulShutdown()
        ServiceNotification.stopping.send()
        await stop()
    }
}

/// The objects that all calls share. This struct never changes; its parts change and guard themselves.
struct BrokerCore: Sendable {
    let configuration: Configuration
    let sealer: SealerService
    let vaultStore: VaultStore
    let vaultAccess: VaultAccess
    let challenges: ChallengeStore
    let maker: SealerMaker
    let locks: LockWatch
    let applicationPasswords: ApplicationPasswords
    var leases: LeaseStore { vaultStore.dependencies.leases }
    /// Counts each user's use of shared resources.
    let budgets: UserBudgets
    let diagnoses = RunningDiagnoses()
    /// Warnings for people about settings that weaken the guarantees.
    let warnings: [String]
    let logger: Logger
}
