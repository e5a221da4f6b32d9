import Authorization
import Broker
import BrokerProtocol
import Foundation
import Logging
import Platform
import RootConfiguration
import Synchronization
import Varlink
import Vault

/// A broker in this process with real sockets. It keeps everything in a folder that is removed with it.
public final class ThrowAwayBroker: Sendable {
    public let folder: TemporaryFolder
    public let configuration: Configuration
    public let authenticator: TestAuthenticator
    public let log: LogLines
    private let broker: Broker

    /// - Parameters:
    ///   - folder: an earlier broker's folder, to continue with its state.
    ///   - sealer: makes the sealer for a configuration.
    public init(
        folder: TemporaryFolder? = nil, authenticator: TestAuthenticator? = nil,
        options: Broker.Options = .patient,
        configure: (inout Configuration) -> Void = { _ in }, sealer: (Configuration) throws -> any Sealer
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        var configuration = Configuration()
        configuration.socket = folder.path + "/coffer.sock"
        configuration.authenticatorSocket = folder.path + "/private.sock"
        configuration.vaultDirectory = folder.path + "/vaults"
        configuration.registryDirectory = folder.path + "/registry"
        configuration.sealer = .software
        configuration.sandbox = true
        configuration.systemBus = .none
        let user = OwnProcess.effectiveUser
        configuration.authenticatorUser = try Account.withUID(user)?.name ?? "root"
        configuration.brokerUser = configuration.authenticatorUser
        configure(&configuration)
        try Folder.make(configuration.vaultDirectory, mode: 0o700)
        try Folder.make(configuration.registryDirectory, mode: 0o755)
        let log = LogLines()
        let broker = try Broker(
            configuration: configuration, sealer: sealer(configuration), logger: log.logger, options: options)
        self.folder = folder
        self.configuration = configuration
        self.log = log
        self.broker = broker
        self.authenticator = try TestAuthenticator(
            socket: configuration.authenticatorSocket,
            registry: Registry(directory: configuration.registryDirectory, authenticatorUID: user),
            key: authenticator?.key)
        try await broker.start()
    }

    public func client() throws -> WireClient { try WireClient(configuration.socket) }

    public func stop() async { await broker.stop() }

    /// Calls a method. If a person is needed, it has one agree, and repeats the call with the challenge.
    public func call<Method: VarlinkMethod>(
        _ client: WireClient, _ method: Method, repeated: (String) -> Method
    ) async throws -> Method.Reply {
        do { return try await client.call(method) } catch let fault as Fault where fault.name == .authenticationRequired
        {
            let challenge = fault.details.challenge ?? ""
            try await authenticator.grant(challenge)
            return try await client.call(repeated(challenge))
        }
    }

    /// Makes the vault of the user who runs the tests, and leaves it unlocked.
    public func makeVault(_ client: WireClient) async throws {
        _ = try await call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
    }
}

/// A clock that only a test advances.
public final class TestClock: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var later: [(ContinuousClock.Instant, @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var clock: BrokerClock {
        BrokerClock(
            now: { self.state.withLock { $0.now } },
            after: { duration, body in self.state.withLock { $0.later.append(($0.now + duration, body)) } })
    }

    /// Advances the clock and runs everything that is due then.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let now = state.now
            let due = state.later.filter { $0.0 <= now }
            state.later.removeAll { $0.0 <= now }
            return due
        }
        for (_, body) in due { body() }
    }
}

/// Records the log messages of all levels, for tests to check.
public final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    public init() {}

    public var all: [String] { lines.withLock { $0 } }

    public var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            lines.lines.withLock { $0.append("\(event.level) \(event.message) \(fields)") }
        }
    }
}
