// Made by scripts/interfaces from Interfaces/org.coffer.Agent.varlink: change that file.
import JSON
import Varlink

/// The prompts of a user's session, for programs that have no terminal. The agent holds the conversation with the
/// authenticator, so that the person sees the authenticator's words and not the caller's. It serves its own user
/// only. A caller waits for its turn, connects to the authenticator, and hands that connection over. The kernel names
/// the caller to the authenticator, because the caller has connected. Its errors have message and advice as those of
/// org.coffer.Keychain.
public enum Agent {
    /// The interface's name.
    public static let interface = "org.coffer.Agent"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # The prompts of a user's session, for programs that have no terminal. The agent holds the conversation with the authenticator,
        # so that the person sees the authenticator's words and not the caller's. It serves its own user only.
        # A caller waits for its turn, connects to the authenticator, and hands that connection over. The kernel names the caller
        # to the authenticator, because the caller has connected.
        # Its errors have message and advice as those of org.coffer.Keychain.
        interface org.coffer.Agent

        # Where a person sits. A name that is absent or does not answer is not used.
        type Display (
          # As in DISPLAY.
          x11: ?string,
          # As in XAUTHORITY.
          xauthority: ?string,
          # As in WAYLAND_DISPLAY, and absolute or a name in XDG_RUNTIME_DIR.
          wayland: ?string
        )

        # Tells whether the agent can reach a person now. It asks nobody.
        method GetState() -> (
          # The agent's process.
          pid: int,
          # The terminal or display at which it asks. It is absent if there is none.
          place: ?string,
          # How many callers wait or are asked now.
          callers: int
        )

        # Waits until no other caller is asked. The turn is the caller's until Converse has answered, or the connection ends.
        # It lasts for 10 seconds if no Converse comes.
        method WaitForTurn(
          # The caller's own display. The agent asks there if that display answers.
          display: ?Display
        ) -> (
          # Where the person is asked.
          place: string
        )

        # Has the person asked for a challenge. It needs the turn. If the connection ends, the prompt closes.
        method Converse(
          challenge: string,
          # The number of a descriptor among those that come with this call (SCM_RIGHTS), which is 0: a connection to the
          # authenticator's socket, on which nothing was said yet.
          connection: int
        ) -> (
          # It is absent if the person was recognised.
          failure: ?Failure
        )

        # How a conversation failed.
        type Failure (
          # The kind of failure, as in the JSON output of coffer.
          code: string,
          message: string,
          advice: ?string,
          # The TPM's own code, or 0.
          tpmCode: int,
          cause: ?string
        )

        # Changes the display at which the agent asks callers that have none.
        method Update(display: Display) -> (
          # Where it asks from now on. It is absent if the display does not answer.
          place: ?string
        )

        # Ends the agent. A prompt that is open closes.
        method Stop() -> ()

        # Neither the caller's display nor the agent's terminal or display can be used.
        error NobodyHere (message: string, advice: ?string)
        # The descriptor is missing, or is no connection to the authenticator.
        error ConnectionRefused (message: string, advice: ?string)
        # Too many callers wait.
        error LimitExceeded (message: string, advice: ?string)
        # A text is too long, or a call came out of order.
        error InvalidArgument (message: string, advice: ?string)

        """#

    /// Where a person sits. A name that is absent or does not answer is not used.
    public struct Display: JSONValue, Equatable {
        /// As in DISPLAY.
        public var x11: String?
        /// As in XAUTHORITY.
        public var xauthority: String?
        /// As in WAYLAND_DISPLAY, and absolute or a name in XDG_RUNTIME_DIR.
        public var wayland: String?

        public init(x11: String? = nil, xauthority: String? = nil, wayland: String? = nil) {
            self.x11 = x11
            self.xauthority = xauthority
            self.wayland = wayland
        }

        private static let jsonNames = ["wayland", "x11", "xauthority"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var x11: String?
            var xauthority: String?
            var wayland: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: wayland = try reader.read()
                case 1: x11 = try reader.read()
                default: xauthority = try reader.read()
                }
            }
            self.init(x11: x11, xauthority: xauthority, wayland: wayland)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("wayland", wayland)
            writer.member("x11", x11)
            writer.member("xauthority", xauthority)
            writer.endObject()
        }
    }

    /// How a conversation failed.
    public struct Failure: JSONValue, Equatable {
        /// The kind of failure, as in the JSON output of coffer.
        public var code: String
        public var message: String
        public var advice: String?
        /// The TPM's own code, or 0.
        public var tpmCode: Int64
        public var cause: String?

        public init(code: String, message: String, advice: String? = nil, tpmCode: Int64, cause: String? = nil) {
            self.code = code
            self.message = message
            self.advice = advice
            self.tpmCode = tpmCode
            self.cause = cause
        }

        private static let jsonNames = ["advice", "cause", "code", "message", "tpmCode"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var code: String?
            var message: String?
            var advice: String?
            var tpmCode: Int64?
            var cause: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: advice = try reader.read()
                case 1: cause = try reader.read()
                case 2: code = try reader.read()
                case 3: message = try reader.read()
                default: tpmCode = try reader.read()
                }
            }
            self.init(
                code: try members.required(code, "code"), message: try members.required(message, "message"),
                advice: advice, tpmCode: try members.required(tpmCode, "tpmCode"), cause: cause
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("advice", advice)
            writer.member("cause", cause)
            writer.member("code", code)
            writer.member("message", message)
            writer.member("tpmCode", tpmCode)
            writer.endObject()
        }
    }

    /// Tells whether the agent can reach a person now. It asks nobody.
    public struct GetState: VarlinkMethod {
        public static let name = "org.coffer.Agent.GetState"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            /// The agent's process.
            public var pid: Int64
            /// The terminal or display at which it asks. It is absent if there is none.
            public var place: String?
            /// How many callers wait or are asked now.
            public var callers: Int64

            public init(pid: Int64, place: String? = nil, callers: Int64) {
                self.pid = pid
                self.place = place
                self.callers = callers
            }

            private static let jsonNames = ["callers", "pid", "place"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var pid: Int64?
                var place: String?
                var callers: Int64?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: callers = try reader.read()
                    case 1: pid = try reader.read()
                    default: place = try reader.read()
                    }
                }
                self.init(
                    pid: try members.required(pid, "pid"), place: place,
                    callers: try members.required(callers, "callers")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("callers", callers)
                writer.member("pid", pid)
                writer.member("place", place)
                writer.endObject()
            }
        }
    }

    /// Waits until no other caller is asked. The turn is the caller's until Converse has answered, or the connection
    /// ends. It lasts for 10 seconds if no Converse comes.
    public struct WaitForTurn: VarlinkMethod {
        public static let name = "org.coffer.Agent.WaitForTurn"
        /// The caller's own display. The agent asks there if that display answers.
        public var display: Display?

        public init(display: Display? = nil) { self.display = display }

        private static let jsonNames = ["display"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var display: Display?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { display = try reader.read() }
            self.init(display: display)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("display", display)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Where the person is asked.
            public var place: String

            public init(place: String) { self.place = place }

            private static let jsonNames = ["place"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var place: String?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { place = try reader.read() }
                self.init(place: try members.required(place, "place"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("place", place)
                writer.endObject()
            }
        }
    }

    /// Has the person asked for a challenge. It needs the turn. If the connection ends, the prompt closes.
    public struct Converse: VarlinkMethod {
        public static let name = "org.coffer.Agent.Converse"
        public var challenge: String
        /// The number of a descriptor among those that come with this call (SCM_RIGHTS), which is 0: a connection to
        /// the authenticator's socket, on which nothing was said yet.
        public var connection: Int64

        public init(challenge: String, connection: Int64) {
            self.challenge = challenge
            self.connection = connection
        }

        private static let jsonNames = ["challenge", "connection"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var connection: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                default: connection = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"),
                connection: try members.required(connection, "connection")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("connection", connection)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// It is absent if the person was recognised.
            public var failure: Failure?

            public init(failure: Failure? = nil) { self.failure = failure }

            private static let jsonNames = ["failure"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var failure: Failure?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { failure = try reader.read() }
                self.init(failure: failure)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("failure", failure)
                writer.endObject()
            }
        }
    }

    /// Changes the display at which the agent asks callers that have none.
    public struct Update: VarlinkMethod {
        public static let name = "org.coffer.Agent.Update"
        public var display: Display

        public init(display: Display) { self.display = display }

        private static let jsonNames = ["display"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var display: Display?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { display = try reader.read() }
            self.init(display: try members.required(display, "display"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("display", display)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Where it asks from now on. It is absent if the display does not answer.
            public var place: String?

            public init(place: String? = nil) { self.place = place }

            private static let jsonNames = ["place"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var place: String?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { place = try reader.read() }
                self.init(place: place)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("place", place)
                writer.endObject()
            }
        }
    }

    /// Ends the agent. A prompt that is open closes.
    public struct Stop: VarlinkMethod {
        public static let name = "org.coffer.Agent.Stop"
        public typealias Reply = Nothing

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }
    }
}

extension Fault.Name {
    /// Neither the caller's display nor the agent's terminal or display can be used.
    public static let agentNobodyHere = Self(rawValue: "org.coffer.Agent.NobodyHere")
    /// The descriptor is missing, or is no connection to the authenticator.
    public static let agentConnectionRefused = Self(rawValue: "org.coffer.Agent.ConnectionRefused")
    /// Too many callers wait.
    public static let agentLimitExceeded = Self(rawValue: "org.coffer.Agent.LimitExceeded")
    /// A text is too long, or a call came out of order.
    public static let agentInvalidArgument = Self(rawValue: "org.coffer.Agent.InvalidArgument")
}
