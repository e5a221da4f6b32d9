import Item

/// One record of the access log: who did what, or was refused it. It holds names, never a secret (docs/vault-format.md,
/// "The access log").
public struct AccessRecord: Codable, Sendable, Equatable {
    public enum Event: String, Codable, Sendable, CaseIterable {
        case create, unlock, lock, read, set, edit, rename, delete, recovery, bind, unbind, tie, release, approve,
            rotate
        /// The vault shares its items with another machine, or begins to.
        case share
        /// A person has granted a lease of an item.
        case lease
        case leaseEnd = "lease-end"
        /// Coffer refused an older copy of the file, or found the counter gone.
        case rollback
        /// Root accepted the file as it is.
        case accept
        /// About the log itself: it begins.
        case start
        /// About the log itself: old records were dropped.
        case dropped
        /// About the log itself: earlier records are missing or changed.
        case broken
        /// About the log itself: its end was lost, for example in a power cut.
        case cut
    }

    /// The item that the record is about, as it was named.
    public struct Subject: Codable, Sendable, Equatable {
        /// nil if the request was refused before the item was looked up.
        public var item: String?
        public var service: String
        public var account: String?
        /// nil for a generic item, and if the request was refused before its kind was known.
        public var kind: ItemKind?
        /// The constraints that reading the item demands.
        public var require: [String]

        public init(item: String?, service: String, account: String?, kind: ItemKind? = nil, require: [String]) {
            self.item = item
            self.service = service
            self.account = account
            self.kind = kind == .genericPassword ? nil : kind
            self.require = require
        }

        public init(_ item: ItemSummary) {
            self.init(
                item: item.id.description, service: item.metadata.service, account: item.metadata.account,
                kind: item.metadata.kind, require: item.access.requirements.inOrder.map(\.rawValue))
        }
    }

    /// The process that asked.
    public struct Program: Codable, Sendable, Equatable {
        public var uid: UInt32
        public var pid: Int32
        /// The path of the program when it connected to the authenticator, if the kernel told it. Otherwise the name
        /// that the program gives itself.
        public var name: String?
        /// Whether the kernel told the name at that moment. Otherwise the program may have chosen it.
        public var isResolved: Bool
        public var controlGroup: String?

        public init(uid: UInt32, pid: Int32, name: String?, isResolved: Bool, controlGroup: String?) {
            self.uid = uid
            self.pid = pid
            self.name = name
            self.isResolved = isResolved
            self.controlGroup = controlGroup
        }

        private enum CodingKeys: String, CodingKey {
            case uid, pid, name, isResolved, controlGroup
        }

        /// Earlier records have another name for `isResolved`.
        private enum EarlierKeys: String, CodingKey { case isVerified }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            uid = try members.decode(UInt32.self, forKey: .uid)
            pid = try members.decode(Int32.self, forKey: .pid)
            name = try members.decodeIfPresent(String.self, forKey: .name)
            controlGroup = try members.decodeIfPresent(String.self, forKey: .controlGroup)
            isResolved =
                try members.decodeIfPresent(Bool.self, forKey: .isResolved)
                ?? decoder.container(keyedBy: EarlierKeys.self).decode(Bool.self, forKey: .isVerified)
        }
    }

    /// The outcome of a request that was carried out.
    public static let done = "done"

    /// The record's number, one more than that of the record before.
    public internal(set) var sequence: UInt64 = 0
    /// Milliseconds since 1970-01-01 UTC. 0 means the moment of writing.
    public var time: UInt64 = 0
    public let event: Event
    /// `done`, or one word that tells why the request was refused.
    public let outcome: String
    public let program: Program?
    public let subject: Subject?
    /// The reason that the program gave for its request, at most `ItemLimits.reason` bytes.
    public let reason: String?
    /// Further details in words, such as a new name or what the log reports about itself.
    public let detail: String?
    /// How many records before this one could not be written.
    public internal(set) var missed: Int?

    public init(
        _ event: Event, outcome: String = AccessRecord.done, by program: Program? = nil, of subject: Subject? = nil,
        reason: String? = nil, detail: String? = nil
    ) {
        self.event = event
        self.outcome = outcome
        self.program = program
        self.subject = subject
        self.reason = reason
        self.detail = detail
    }

    /// The sequence number is not sealed. It stands beside the sealed part, under the record's MAC.
    private enum CodingKeys: String, CodingKey {
        case time, event, outcome, program, subject, reason, detail, missed
    }
}
