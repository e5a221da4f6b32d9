// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Varlink

extension Keychain {
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
