// Made by scripts/interfaces from Interfaces/org.coffer.Login.varlink: change that file.
import JSON
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

        private static let jsonNames = ["user"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var user: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { user = try reader.read() }
            self.init(user: try members.required(user, "user"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("user", user)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Whether the user's vault is open now. If it is not, only the log says why.
            public var opened: Bool

            public init(opened: Bool) { self.opened = opened }

            private static let jsonNames = ["opened"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var opened: Bool?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { opened = try reader.read() }
                self.init(opened: try members.required(opened, "opened"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("opened", opened)
                writer.endObject()
            }
        }
    }
}
