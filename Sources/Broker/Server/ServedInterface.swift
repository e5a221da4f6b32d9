import BrokerProtocol
import Cryptography
import Varlink

/// The service behind a socket. It takes calls, one at a time for each connection, and answers them.
protocol ServedInterface: Sendable {
    /// The served methods, and how the service describes itself.
    var interfaces: ServedInterfaces { get }

    /// The error's name for a call that cannot be parsed.
    var unreadable: Fault.Name { get }

    /// Whether this user may connect at all. It is asked once, before anything is read.
    func admits(uid: UInt32) -> Bool

    /// - Parameter isAbandoned: whether the caller has hung up.
    func answer(
        _ call: IncomingCall, from caller: Caller, isAbandoned: @escaping @Sendable () -> Bool
    ) async throws(Fault) -> MethodAnswer

    /// Whether an idle connection waits for a person and must stay open.
    func awaits(_ caller: Caller) -> Bool

    /// Whether each user's connections are answered on a thread of that user's own.
    var keepsUsersApart: Bool { get }

    /// The connection is gone. Implementations drop everything that depends on it.
    func connectionEnded(_ caller: Caller)
}

/// A method's answer before it is encoded.
enum MethodAnswer: Sendable {
    case reply(any Codable & Sendable)
    /// One reply, or one for each item if the caller accepts several.
    case items([Keychain.Item])
    /// A secret and its item. It is encoded into memory that is wiped after sending.
    case value(SecretBytes, Keychain.Item)
}
