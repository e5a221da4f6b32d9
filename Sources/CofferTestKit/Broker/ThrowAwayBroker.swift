import Authorization
import Broker
import BrokerProtocol
import Configuration
import Foundation
import Logging
import Platform
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
        let user = ProcessSurroundings.effectiveUser
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
