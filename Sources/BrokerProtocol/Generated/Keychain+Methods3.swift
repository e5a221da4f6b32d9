// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
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

        public struct Reply: Codable, Sendable, Equatable {
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
        }
    }

    /// Checks the TPM, the broker's process and files, the PAM services and the clock, and every row of the caller's
    /// vault. The answer has nothing secret, and nothing about other users. A user has one such call at a time.
    public struct Diagnose: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Diagnose"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            public var findings: [Finding]

            public init(findings: [Finding]) { self.findings = findings }
        }
    }

    /// Checks the whole access log.
    public struct VerifyLog: VarlinkMethod {
        public static let name = "org.coffer.Keychain.VerifyLog"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
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
        }
    }
}
