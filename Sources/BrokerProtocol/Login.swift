import Varlink

/// `org.coffer.Login`, spoken by `pam_coffer` on root's own socket; docs/org.coffer.Login.varlink.
public enum Login {
    /// The interface's name.
    public static var interface: String { "\(LoginWire.interface)" }

    /// Somebody has logged in.
    public struct Report: VarlinkMethod {
        public static var name: String { "\(LoginWire.report)" }
        /// The name that was logged in; its uid is looked up by who answers.
        public var user: String

        public init(user: String) { self.user = user }

        public struct Reply: Codable, Sendable, Equatable {
            /// Whether the user's keychain is open now.
            public var opened: Bool

            public init(opened: Bool) { self.opened = opened }
        }
    }
}
