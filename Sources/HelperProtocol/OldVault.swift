/// What `coffer recovery restore` and `coffer-helper old-vault` say to each other (docs/architecture.md, "The helper").
///
/// First comes the recovery code, and ``Opening`` is the answer; after a malformed code another one comes. Then comes an item's number, and ``Value`` is the
/// answer, until the input ends.
public enum OldVault {
    /// Whether the file opened.
    public struct Opening: Codable, Sendable {
        /// Sorted by service and account; nil where there is a problem.
        public var items: [Item]?
        public var problem: Problem?

        public init(items: [Item]) { self.items = items }
        public init(_ problem: Problem) { self.problem = problem }
    }

    /// One item's secret.
    public struct Value: Codable, Sendable {
        /// Base64; nil where there is a problem.
        public var value: String?
        public var problem: Problem?

        public init(_ value: String) { self.value = value }
        public init(_ problem: Problem) { self.problem = problem }
    }

    /// One item, without its secret.
    public struct Item: Codable, Sendable {
        public var service: String
        public var account: String
        public var label: String?
        public var comment: String?
        public var attributes: [String: String]
        /// Milliseconds since 1970-01-01 UTC; nil: never.
        public var expires: UInt64?
        /// What reading it takes, by the names of the Varlink interface.
        public var accessibility: String
        public var thisDeviceOnly: Bool
        public var require: [String]
        public var any: Bool

        public init(
            service: String, account: String, label: String?, comment: String?, attributes: [String: String],
            expires: UInt64?, accessibility: String, thisDeviceOnly: Bool, require: [String], any: Bool
        ) {
            self.service = service
            self.account = account
            self.label = label
            self.comment = comment
            self.attributes = attributes
            self.expires = expires
            self.accessibility = accessibility
            self.thisDeviceOnly = thisDeviceOnly
            self.require = require
            self.any = any
        }
    }

    /// Why something of the file cannot be read.
    public struct Problem: Codable, Sendable, Error {
        public enum Code: String, Codable, Sendable {
            /// What was typed is no recovery code.
            case malformedCode
            /// No code was made before the copy was.
            case noCode
            /// The code is another vault's, or another time's.
            case wrongCode
            case damaged
            case newerFormat
            case failed
        }

        public var code: Code
        public var reason: String

        public init(_ code: Code, _ reason: String) {
            self.code = code
            self.reason = reason
        }
    }
}
