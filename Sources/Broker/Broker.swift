import Authorization
import Configuration
import Logging
import NIOCore
import NIOPosix
import Platform
import ServiceLifecycle
import Synchronization
import Vault

/// The broker: two sockets, the vaults behind them, and the sealer behind those.
public final class Broker: Service {
    /// What differs between a service and a test.
    public struct Options: Sendable {
        /// A listening socket that the service manager handed over; nil to bind `socket` of the configuration.
        public var clientSocket: Int32?
        public var clock = BrokerClock.system
        /// How long a message may take from its first byte to its last.
        public var messageTimeLimit: Duration = .seconds(30)
        /// How long running calls may take when the broker stops.
        public var stopTimeLimit: Duration = .seconds(5)

        public init() {}
    }

    private static let wantedDescriptors: UInt64 = 4096

    private struct Running {
        var listeners: [Listener] = []
        var group: MultiThreadedEventLoopGroup?
    }

    private let configuration: Configuration
    private let options: Options
    private let core: BrokerCore
    private let authenticatorUID: UInt32
    private let calls = RunningCalls()
    private let running = Mutex(Running())

    /// - Parameter sealer: the one that the configuration names.
    /// - Throws: `BrokerStartError` when the broker must not run like this.
    public init(configuration: Configuration, sealer: any Sealer, logger: Logger, options: Options = Options())
        throws(BrokerStartError)
    {
        self.configuration = configuration
        self.options = options
        self.authenticatorUID = try BrokerStart.authenticatorUID(configuration)
        let challenges = ChallengeBook(
            limits: ChallengeBook.Limits(
                openPerUser: configuration.authenticationsPerUser, life: .seconds(configuration.promptTimeout + 30)),
            clock: options.clock)
        let thread = SealerThread()
        let ground = VaultGround(
            directory: configuration.vaultDirectory,
            registry: Registry(directory: configuration.registryDirectory, authenticatorUID: authenticatorUID),
            sealer: sealer, sealerThread: thread, challenges: challenges, clock: options.clock)
        let shelf = VaultShelf(ground: ground)
        self.core = BrokerCore(
            configuration: configuration, sealer: sealer, sealerThread: thread, shelf: shelf,
            desk: AdmissionDesk(registry: ground.registry), challenges: challenges,
            maker: SealerMaker(sealer: sealer, thread: thread),
            locks: try LockWatch(configuration: configuration, shelf: shelf, clock: options.clock, logger: logger),
            applicationPasswords: ApplicationPasswords(clock: options.clock),
            warnings: BrokerStart.warnings(configuration, sealer: sealer.kind), logger: logger)
    }

    /// Opens the sockets and answers from then on.
    public func start() async throws {
        core.maker.ask()
        core.locks.logind?.start()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        running.withLock { $0.group = group }
        // A part of the descriptors is kept for vaults, the TPM and the authenticator.
        let descriptors = try DescriptorLimit.raise(to: Self.wantedDescriptors)
        let census = ConnectionCensus(
            limits: ConnectionCensus.Limits(
                connectionsPerUser: configuration.connectionsPerUser, connections: min(1024, descriptors / 2)))
        let pace = Connection.Pace(message: .init(options.messageTimeLimit))
        // The private socket first: who can call the broker must find it able to ask a person.
        let isOpenToOthers = authenticatorUID != 0 && authenticatorUID != ProcessSurroundings.effectiveUser
        let privateSocket = try UnixListener(
            path: configuration.authenticatorSocket, mode: isOpenToOthers ? 0o666 : 0o600)
        let authenticators = AuthenticatorInterface(core: core, authenticatorUID: authenticatorUID)
        try await listen(
            on: privateSocket.release(), group, authenticators,
            census: ConnectionCensus(limits: .init(connectionsPerUser: 512)), pace)
        let clientSocket: Int32
        if let socket = options.clientSocket {
            clientSocket = socket
        } else {
            clientSocket = try UnixListener(path: configuration.socket, mode: 0o666).release()
        }
        try await listen(on: clientSocket, group, KeychainInterface(core: core), census: census, pace)
        core.logger.notice("ready")
    }

    private func listen(
        on socket: Int32, _ group: MultiThreadedEventLoopGroup, _ served: any ServedInterface, census: ConnectionCensus,
        _ pace: Connection.Pace
    ) async throws {
        let listener = try await Listener.start(
            on: socket, group: group,
            Listener.Surroundings(served: served, census: census, calls: calls, pace: pace, logger: core.logger))
        running.withLock { $0.listeners.append(listener) }
    }

    /// Takes no more calls, lets those that run finish, wipes all keys and closes all vaults.
    public func stop() async {
        let (listeners, group) = running.withLock { running in
            defer { running = Running() }
            return (running.listeners, running.group)
        }
        for listener in listeners { await listener.stopAccepting() }
        await calls.drain(within: options.stopTimeLimit)
        for listener in listeners { listener.closeConnections() }
        for listener in listeners { await listener.waitForConnections(within: .seconds(2)) }
        core.locks.logind?.stop()
        core.challenges.dropAll()
        await core.shelf.close()
        // The threads end with the process at the latest.
        try? await group?.shutdownGracefully()
        core.logger.notice("stopped")
    }

    /// Runs as a service: until the process is told to stop.
    public func run() async throws {
        do { try await start() } catch {
            await stop()
            throw error
        }
        ServiceNotification.ready.send()
        // Cancellation, too, is a reason to stop in good order.
        try? await gracefulShutdown()
        ServiceNotification.stopping.send()
        await stop()
    }
}
