import Cryptography

/// What opens a store on a server.
package struct RemoteKeys: Sendable {
    package let name: String
    package let secret: SecretBytes
    /// What goes with keys that a cloud gives a machine for some hours; nil for others.
    package let token: SecretBytes?

    package init(name: String, secret: SecretBytes, token: SecretBytes? = nil) {
        (self.name, self.secret, self.token) = (name, secret, token)
    }
}

/// Where what opens a store comes from.
package enum StoreAccess: Sendable {
    /// Keys that are known: the present ones first, and those before. None: nobody is told who asks.
    case keys([RemoteKeys])
    /// A program that gives them each time.
    case program(CredentialsProgram)
}
