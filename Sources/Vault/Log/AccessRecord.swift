/// One line of the access log: who did, or was refused, what. Holds names, never a value (docs/vault-format.md, "The access log").
public struct AccessRecord: Codable, Sendable, Equatable {
    public enum Event: String, Codable, Sendable, CaseIterable {
        case create, unlock, lock, read, set, edit, rename, delete, recovery, bind, unbind, tie, release, approve,
            rotate
        /// An older copy of the file, or a counter that is gone, was refused.
        case rollback
        /// Root has accepted the file as it is.
        case accept
        /// The log's own: it begins.
        case start
        /// The log's own: old records were dropped.
        case dropped
        /// The log's own: what was before is missing or changed.
        case broken
        /// The log's own: the end was lost, as by a power cut.
        case cut
    }

    /// The item that it is about, as it was named.
    public struct Subject: Codable, Sendable, Equatable {
        /// nil where it was refused before the item was looked for.
        public var item: String?
        public var service: String
        public var account: String?
        /// What the item asked for to be read.
        public var require: [String]

        public init(item: String?, service: String, account: String?, require: [String]) {
            self.item = item
            self.service = service
            self.account = account
            self.require = require
        }

        public init(_ item: ItemSummary) {
            self.init(
                item: item.id.description, service: item.metadata.service, account: item.metadata.account,
                require: item.access.constraints.members.map(\.description))
        }
    }

    /// The process that asked.
    public struct Program: Codable, Sendable, Equatable {
        public var uid: UInt32
        public var pid: Int32
        /// Its name: the path of what it ran when it connected to the authenticator, where the kernel said so; otherwise what it calls itself.
        public var name: String?
        /// The name is the kernel's word of that moment. Otherwise the program may have chosen it.
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

        /// Records that were written earlier have another word for `isResolved`.
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

    /// What the outcome is called where it was done.
    public static let done = "done"

    /// Its number, one more than that of the record before.
    public internal(set) var sequence: UInt64 = 0
    /// Milliseconds since 1970-01-01 UTC; 0 for the moment in which it is written.
    public var time: UInt64 = 0
    public let event: Event
    /// `done`, or why it was refused, in one word.
    public let outcome: String
    public let program: Program?
    public let subject: Subject?
    /// Why the program said that it asks, in its own words; at most `Limits.reason` bytes.
    public let reason: String?
    /// In words, what the other members do not say: a new name, or what the log says of itself.
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

    /// The number is outside of what is sealed, under the record's MAC.
    private enum CodingKeys: String, CodingKey {
        case time, event, outcome, program, subject, reason, detail, missed
    }
}
