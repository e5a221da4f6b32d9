// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Varlink

extension Keychain {
    /// Makes a recovery code for the caller's own vault. An earlier code stays valid until ConfirmRecoveryCode.
    public struct NewRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.NewRecoveryCode"
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }

        public struct Reply: Codable, Sendable, Equatable {
            /// Six groups of five characters, joined by hyphens.
            public var code: String
            /// Which of its groups ConfirmRecoveryCode is to bring back, from 1.
            public var part: Int64

            public init(code: String, part: Int64) {
                self.code = code
                self.part = part
            }
        }
    }

    /// Makes the code valid that NewRecoveryCode gave to this process at most ten minutes ago.
    public struct ConfirmRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.ConfirmRecoveryCode"
        /// The group that was asked back. After the fifth wrong one the code is dropped.
        public var characters: String

        public init(characters: String) { self.characters = characters }

        public struct Reply: Codable, Sendable, Equatable {
            /// When the code was made.
            public var made: Int64

            public init(made: Int64) { self.made = made }
        }
    }

    /// Tells how the caller's own vault is tied to the measured boot.
    public struct Boot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Boot"
        public typealias Reply = BootReply

        public init() {}
    }

    /// Tells what a tie would hold, before it is made or while it is there. It asks no person.
    public struct TieCoverage: VarlinkMethod {
        public static let name = "org.coffer.Keychain.TieCoverage"
        /// It is left out for 4 and 7 and those that hold the kernel's command line and initrd here.
        public var registers: [Int64]?

        public init(registers: [Int64]? = nil) { self.registers = registers }

        public struct Reply: Codable, Sendable, Equatable {
            public var coverage: BootCoverage

            public init(coverage: BootCoverage) { self.coverage = coverage }
        }
    }

    /// Ties the vault to the boot that the machine was started with, or lets go of it. Failed is the answer where
    /// there is no recovery code, and AlreadyExists where the vault is tied already.
    public struct TieToBoot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.TieToBoot"
        public typealias Reply = BootReply
        /// Of the TPM's SHA-256 bank, 0 to 22 but 16. It is left out as for TieCoverage.
        public var registers: [Int64]?
        /// True ties the vault although the command line is not held. The answer is Failed otherwise.
        public var weak: Bool?
        /// True lets go of the boot.
        public var release: Bool?
        public var challenge: String?

        public init(registers: [Int64]? = nil, weak: Bool? = nil, release: Bool? = nil, challenge: String? = nil) {
            self.registers = registers
            self.weak = weak
            self.release = release
            self.challenge = challenge
        }
    }

    /// Approves a boot to come, beside those that are approved. With neither replacements nor values it approves this
    /// boot, and no other any more.
    public struct ApproveBoot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.ApproveBoot"
        public typealias Reply = BootReply
        /// The present boot with other measurements. Each group is one file's. One of a group's digests at least was
        /// measured in this boot.
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
    /// Repeated with its challenge the call may ask once more, for items that one prompt could not name.
    public struct RotateAll: VarlinkMethod {
        public static let name = "org.coffer.Keychain.RotateAll"
        /// Of the items that have one, all of them.
        public var applicationPasswords: [ItemPassword]?
        public var challenge: String?

        public init(applicationPasswords: [ItemPassword]? = nil, challenge: String? = nil) {
            self.applicationPasswords = applicationPasswords
            self.challenge = challenge
        }

        public struct Reply: Codable, Sendable, Equatable {
            /// How many items were sealed anew. It is absent where nothing was done.
            public var items: Int64?
            /// The items whose application password must come with the call. Nothing was done if there are any.
            public var passwords: [Item]
            /// The TPM has let go of the keys before. Otherwise that is tried again whenever the vault is opened.
            public var revoked: Bool

            public init(items: Int64? = nil, passwords: [Item] = [], revoked: Bool = false) {
                self.items = items
                self.passwords = passwords
                self.revoked = revoked
            }
        }
    }

    /// Tells the access log of the caller's vault, the older records first, some hundreds at a time.
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

    /// Looks at the TPM, the broker's process and files, the PAM services and the clock. It checks every row of the
    /// caller's vault. The answer has nothing of another user's, and nothing secret. A user has one such call at a
    /// time.
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
            /// How many there are.
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
