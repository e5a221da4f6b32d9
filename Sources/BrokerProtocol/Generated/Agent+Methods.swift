// Made by scripts/interfaces from Interfaces/org.coffer.Agent.varlink: change that file.
import JSON
import Varlink

extension Agent {
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
