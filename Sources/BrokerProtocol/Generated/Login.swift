// Made by scripts/interfaces from Interfaces/org.coffer.Login.varlink: change that file.
import Varlink

/// What pam_coffer tells the authenticator. Only root can open the socket. A connection carries one call.
public enum Login {
    /// The interface's name.
    public static let interface = "org.coffer.Login"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # What pam_coffer tells the authenticator. Only root can open the socket. A connection carries one call.
        interface org.coffer.Login

        # A login program that root runs has let this user in, just now, by its own PAM stack.
        # The authenticator takes this from root in the machine's own namespaces, and from the configured programs only.
        method Report(
          # The name that was logged in. The authenticator looks its uid up.
          user: string
        ) -> (
          # Whether the user's keychain is open now. The log says why it is not, and this answer does not.
          opened: bool
        )

        """#

    /// A login program that root runs has let this user in, just now, by its own PAM stack. The authenticator takes
    /// this from root in the machine's own namespaces, and from the configured programs only.
    public struct Report: VarlinkMethod {
        public static let name = "org.coffer.Login.Report"
        /// The name that was logged in. The authenticator looks its uid up.
        public var user: String

        public init(user: String) { self.user = user }

        public struct Reply: Codable, Sendable, Equatable {
            /// Whether the user's keychain is open now. The log says why it is not, and this answer does not.
            public var opened: Bool

            public init(opened: Bool) { self.opened = opened }
        }
    }
}
