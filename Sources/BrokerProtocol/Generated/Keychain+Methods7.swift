// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// Returns the access log of the caller's vault, the oldest records first, some hundreds at a time.
    public struct Log: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Log"
        /// Only records from this time on.
        public var since: Int64?
        /// Only records after the one with this number.
        public var after: Int64?

        public init(since: Int64? = nil, after: Int64? = nil) {
            self.since = since
            self.after = after
        }

        private static let jsonNames = ["after", "since"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var since: Int64?
            var after: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: after = try reader.read()
                default: since = try reader.read()
                }
            }
            self.init(since: since, after: after)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("after", after)
            writer.member("since", since)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var records: [LogRecord]
            /// There are more. Call again with the last record's number.
            public var more: Bool
            /// What is wrong with the log, for people to read.
            public var problem: String?

            public init(records: [LogRecord], more: Bool, problem: String? = nil) {
                self.records = records
                self.more = more
                self.problem = problem
            }

            private static let jsonNames = ["more", "problem", "records"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var records: [LogRecord]?
                var more: Bool?
                var problem: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: more = try reader.read()
                    case 1: problem = try reader.read()
                    default: records = try reader.read()
                    }
                }
                self.init(
                    records: try members.required(records, "records"), more: try members.required(more, "more"),
                    problem: problem
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("more", more)
                writer.member("problem", problem)
                writer.member("records", records)
                writer.endObject()
            }
        }
    }

    /// Checks the TPM, the broker's process and files, the PAM services and the clock, and every row of the caller's
    /// vault. The answer has nothing secret, and nothing about other users. A user has one such call at a time.
    public struct Diagnose: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Diagnose"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            public var findings: [Finding]

            public init(findings: [Finding]) { self.findings = findings }

            private static let jsonNames = ["findings"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var findings: [Finding]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { findings = try reader.read() }
                self.init(findings: try members.required(findings, "findings"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("findings", findings)
                writer.endObject()
            }
        }
    }

    /// Checks the whole access log.
    public struct VerifyLog: VarlinkMethod {
        public static let name = "org.coffer.Keychain.VerifyLog"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            public var whole: Bool
            /// What is wrong, for people to read.
            public var problem: String?
            /// How many records there are.
            public var records: Int64
            /// The number of the oldest record.
            public var first: Int64?
            /// The number of the newest record.
            public var last: Int64?

            public init(whole: Bool, problem: String? = nil, records: Int64, first: Int64? = nil, last: Int64? = nil) {
                self.whole = whole
                self.problem = problem
                self.records = records
                self.first = first
                self.last = last
            }

            private static let jsonNames = ["first", "last", "problem", "records", "whole"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var whole: Bool?
                var problem: String?
                var records: Int64?
                var first: Int64?
                var last: Int64?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: first = try reader.read()
                    case 1: last = try reader.read()
                    case 2: problem = try reader.read()
                    case 3: records = try reader.read()
                    default: whole = try reader.read()
                    }
                }
                self.init(
                    whole: try members.required(whole, "whole"), problem: problem,
                    records: try members.required(records, "records"), first: first, last: last
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("first", first)
                writer.member("last", last)
                writer.member("problem", problem)
                writer.member("records", records)
                writer.member("whole", whole)
                writer.endObject()
            }
        }
    }
}
