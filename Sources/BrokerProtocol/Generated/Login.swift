// Made by scripts/interfaces from Interfaces/org.coffer.Login.varlink: change that file.
import Varlink

/// pam_coffer's reports to the authenticator. Only root can open the socket. A connection carries one call.
public enum Login {
    /// The interface's name.
    public static let interface = "org.coffer.Login"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # pam_coffer's reports to the authenticator. Only root can open the socket. A connection carries one call.
        interface org.coffer.Login

        # A login program that root runs has just let this user in, by its own PAM stack.
        # The authenticator accepts this only from root in the machine's own namespaces, and only from the configured programs.
        method Report(
          # The name of the user who logged in. The authenticator looks up the uid.
          user: string
        ) -> (
          # Whether the user's vault is open now. If it is not, only the log says why.
          opened: bool
        )

        """#

    /// A login program that root runs has just let this user in, by its own PAM stack. The authenticator accepts this
    /// only from root in the machine's own namespaces, and only from the configured programs.
    public struct Report: VarlinkMethod {
        public static let name = "org.coffer.Login.Report"
        /// The name of the user who logged in. The authenticator looks up the uid.
        public var user: String

        public init(user: String) { self.user = user }

        public struct Reply: Codable, Sendable, Equatable {
            /// Whether the user's vault is open now. If it is not, only the log says why.
            public var opened: Bool

            public init(opened: Bool) { self.opened = opened }
        }
    }
}
