import Varlink

extension Keychain {
    /// One record of the access log. Names, never a value.
    public struct LogRecord: Codable, Sendable, Equatable {
        /// Its number; the next has one more.
        public var sequence: Int64
        /// Milliseconds since 1970-01-01 UTC.
        public var time: Int64
        public var event: String
        /// `done`, or why it was refused.
        public var outcome: String
        public var uid: Int64?
        public var pid: Int64?
        /// What the process ran when it connected to the authenticator, by the kernel's word, if `resolved`; otherwise what it calls itself.
        public var program: String?
        /// Whether the program is the kernel's word of that moment.
        public var resolved: Bool
        public var controlGroup: String?
        public var item: String?
        public var service: String?
        public var account: String?
        public var require: [String]
        /// Why the program said that it asks.
        public var reason: String?
        public var detail: String?
        /// How many records before this one could not be written.
        public var missed: Int64?

        public init(sequence: Int64, time: Int64, event: String, outcome: String, resolved: Bool, require: [String]) {
            self.sequence = sequence
            self.time = time
            self.event = event
            self.outcome = outcome
            self.resolved = resolved
            self.require = require
        }
    }

    public struct Log: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Log"
        /// Only records from this time on.
        public var since: Int64?
        /// Only records behind the one with this number.
        public var after: Int64?

        public init(since: Int64? = nil, after: Int64? = nil) {
            self.since = since
            self.after = after
        }

        public struct Reply: Codable, Sendable, Equatable {
            public var records: [LogRecord]
            /// There are more: call again with the last one's number.
            public var more: Bool
            /// What is wrong with the log, for people; nil where nothing was found.
            public var problem: String?

            public init(records: [LogRecord], more: Bool, problem: String?) {
                self.records = records
                self.more = more
                self.problem = problem
            }
        }
    }

    public struct VerifyLog: VarlinkMethod {
        public static let name = "org.coffer.Keychain.VerifyLog"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            public var whole: Bool
            /// What is wrong, for people; nil where the log is whole.
            public var problem: String?
            public var records: Int64
            /// The numbers of the oldest and the newest record.
            public var first: Int64?
            public var last: Int64?

            public init(whole: Bool, problem: String?, records: Int64, first: Int64?, last: Int64?) {
                self.whole = whole
                self.problem = problem
                self.records = records
                self.first = first
                self.last = last
            }
        }
    }
}
