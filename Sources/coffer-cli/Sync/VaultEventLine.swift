import BrokerProtocol
import Coffer
import Platform
import Varlink

/// What the broker tells about the vault, on a connection of its own. It is no use of the vault.
struct VaultEventLine: ~Copyable {
    private var connection: VarlinkConnection
    private let path: String

    /// Subscribes. Everything that happens from then on is told.
    init(_ paths: SocketPaths, of vault: VaultName) throws(KeychainError) {
        connection = try Self.connection(paths.broker, vault)
        path = paths.broker
    }

    private static func connection(_ path: String, _ vault: VaultName) throws(KeychainError) -> VarlinkConnection {
        let answer: VarlinkAnswer<Keychain.Monitor.Reply>
        do throws(TransportFailure) {
            let deadline = ContinuousClock.now + CallLimits.broker
            var connection = try VarlinkConnection(path: path, until: deadline)
            try connection.send(Keychain.InVault(Keychain.Monitor(), vault.choice), more: true, until: deadline)
            // The first reply says that the broker listens. It has no events.
            answer = try connection.receive(Keychain.Monitor.Reply.self, until: deadline)
            if case .reply = answer { return connection }
        } catch { throw KeychainError(broker: error, path: path) }
        if case .fault(let fault) = answer { throw KeychainError(brokerFault: fault) }
        throw KeychainError(broker: .broken("it ended the call"), path: path)
    }

    /// The descriptor, for `poll`.
    var number: Int32 { connection.number }

    /// Takes what was told. A further reply may have come along with the first.
    mutating func take() throws(KeychainError) -> [Keychain.Event] {
        var events: [Keychain.Event] = []
        while connection.isEnded { events += try receive() }
        return events
    }

    /// - Throws: also if the broker has ended the call, for example because it stops.
    private mutating func receive() throws(KeychainError) -> [Keychain.Event] {
        let answer: VarlinkAnswer<Keychain.Monitor.Reply>
        do throws(TransportFailure) {
            answer = try connection.receive(Keychain.Monitor.Reply.self, until: .now + CallLimits.broker)
        } catch { throw KeychainError(broker: error, path: path) }
        switch answer {
        case .reply(let reply, _): return reply.events
        case .fault(let fault): throw KeychainError(brokerFault: fault)
        }
    }
}
