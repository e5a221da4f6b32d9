// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import Varlink

extension Keychain {
    /// Tells how the caller's own vault is tied to the measured boot.
    public struct Boot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Boot"
        public typealias Reply = BootReply

        public init() {}
    }

    /// Tells what a tie would hold or holds. It asks no person.
    public struct TieCoverage: VarlinkMethod {
        public static let name = "org.coffer.Keychain.TieCoverage"
        /// If it is left out: 4, 7, and those that hold the kernel's command line and initrd here.
        public var registers: [Int64]?

        public init(registers: [Int64]? = nil) { self.registers = registers }

        public struct Reply: Codable, Sendable, Equatable {
            public var coverage: BootCoverage

            public init(coverage: BootCoverage) { self.coverage = coverage }
        }
    }

    /// Ties the vault to the present boot, or releases it. If there is no recovery code, the answer is Failed. If the
    /// vault is tied already, the answer is AlreadyExists.
    public struct TieToBoot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.TieToBoot"
        public typealias Reply = BootReply
        /// Registers of the TPM's SHA-256 bank: 0 to 22, except 16. If it is left out, they are those of TieCoverage.
        public var registers: [Int64]?
        /// True ties the vault even if the command line is not held. Otherwise the answer is then Failed.
        public var weak: Bool?
        /// True releases the vault from the boot.
        public var release: Bool?
        public var challenge: String?

        public init(registers: [Int64]? = nil, weak: Bool? = nil, release: Bool? = nil, challenge: String? = nil) {
            self.registers = registers
            self.weak = weak
            self.release = release
            self.challenge = challenge
        }
    }

    /// Approves a future boot. Boots that were approved stay approved. Without replacements and values, it approves
    /// the present boot alone.
    public struct ApproveBoot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.ApproveBoot"
        public typealias Reply = BootReply
        /// The present boot with other measurements. Each group is for one file. At least one digest of each group
        /// was measured in this boot.
        public var replacements: [[Replacement]]?
        /// The boot with these values in its registers. A register that is left out stays as it is now.
        public var values: [RegisterValue]?
        public var challenge: String?

        public init(replacements: [[Replacement]]? = nil, values: [RegisterValue]? = nil, challenge: String? = nil) {
            self.replacements = replacements
            self.values = values
            self.challenge = challenge
        }
    }

    /// Renews all keys of the vault. Another vault with the same items takes its place. A group's vault is refused.
    /// When the call is repeated with its challenge, it may ask once more, for items that one prompt could not name.
    public struct RotateAll: VarlinkMethod {
        public static let name = "org.coffer.Keychain.RotateAll"
        /// One for each item that has one.
        public var applicationPasswords: [ItemPassword]?
        public var challenge: String?

        public init(applicationPasswords: [ItemPassword]? = nil, challenge: String? = nil) {
            self.applicationPasswords = applicationPasswords
            self.challenge = challenge
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// How many items were sealed anew. It is absent if nothing was done.
            public var items: Int64?
            /// The items whose application password must come with the call. Nothing was done if there are any.
            public var passwords: [Item]
            /// The TPM no longer holds the former keys. Otherwise the broker tries again whenever the vault is
            /// opened.
            public var revoked: Bool

            public init(items: Int64? = nil, passwords: [Item] = [], revoked: Bool = false) {
                self.items = items
                self.passwords = passwords
                self.revoked = revoked
            }
        }
    }

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
