/// The sockets of the broker and the authenticator. The broker never supplies the authenticator's path, because a taken-over broker could name a
/// socket of its own and catch passwords.
public struct SocketPaths: Sendable, Equatable {
    /// The broker's socket.
    public let broker: String
    /// The authenticator's socket.
    public let authenticator: String

    /// The socket of an installed broker.
    public static let installedBroker = "/run/coffer/coffer.sock"
    /// The socket of an installed authenticator.
    public static let installedAuthenticator = "/run/coffer-auth/auth.sock"

    /// Other sockets than the installed ones, for example those of a sandbox.
    /// ```swift
    /// let sockets = SocketPaths(broker: folder + "/coffer.sock", authenticator: folder + "/auth.sock")
    /// ```
    public init(broker: String = installedBroker, authenticator: String = installedAuthenticator) {
        self.broker = broker
        self.authenticator = authenticator
    }

    /// Reads `COFFER_SOCKET` and `COFFER_AUTH_SOCKET`. With only the first, the authenticator is `auth.sock` beside it.
    public init(environment: [String: String]) {
        let broker = environment["COFFER_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let authenticator = environment["COFFER_AUTH_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        self.init(
            broker: broker ?? Self.installedBroker,
            authenticator: authenticator ?? broker.map(Self.besideIt) ?? Self.installedAuthenticator)
    }

    private static func besideIt(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "auth.sock" }
        return path[...slash] + "auth.sock"
    }

    /// Whether this user may serve the authenticator's socket. Root always may. Away from the installed path, in a sandbox, the caller may too.
    package func trustsAuthenticator(run byUser: UInt32, caller: UInt32) -> Bool {
        byUser == 0 || (authenticator != Self.installedAuthenticator && byUser == caller)
    }
}
