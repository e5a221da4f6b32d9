import Varlink

extension Keychain {
    /// How the caller's vault is tied to the measured boot.
    public struct BootState: Codable, Sendable, Equatable {
        /// What a boot is told by.
        public var registers: [Int64]
        /// Under which the vault opens.
        public var approved: [ApprovedBoot]
        /// The digest of the registers as they are, hex.
        public var now: String
        /// Whether the vault opens under this boot.
        public var isApproved: Bool

        public init(registers: [Int64], approved: [ApprovedBoot], now: String, isApproved: Bool) {
            self.registers = registers
            self.approved = approved
            self.now = now
            self.isApproved = isApproved
        }
    }

    public struct ApprovedBoot: Codable, Sendable, Equatable {
        /// Of the registers' values, hex.
        public var digest: String
        public var approved: Int64

        public init(digest: String, approved: Int64) {
            self.digest = digest
            self.approved = approved
        }
    }

    /// What a vault is tied to.
    public struct Boot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Boot"

        public init() {}

        public struct Reply: Codable, Sendable, Equatable {
            /// nil where the vault is tied to no boot.
            public var boot: BootState?

            public init(boot: BootState?) { self.boot = boot }
        }
    }

    /// Ties the vault to the boot that the machine was started with, or lets go of it.
    public struct TieToBoot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.TieToBoot"
        public typealias Reply = Boot.Reply
        /// What a boot is to be told by; left out for what ``TieCoverage`` answers.
        public var registers: [Int64]?
        /// True to tie it although the kernel's command line, or what is known of it, stays open.
        public var weak: Bool?
        /// True to let go.
        public var release: Bool?
        public var challenge: String?

        public init(
            registers: [Int64]? = nil, weak: Bool? = nil, release: Bool? = nil, challenge: String? = nil
        ) {
            self.registers = registers
            self.weak = weak
            self.release = release
            self.challenge = challenge
        }
    }

    /// What a tie to these registers holds of the boot that the machine was started with.
    public struct BootCoverage: Codable, Sendable, Equatable {
        public enum Part: String, Codable, Sendable {
            case held, open
            /// The firmware's log does not tell.
            case unknown
        }

        public var registers: [Int64]
        /// Whether a start with another command line is another boot.
        public var commandLine: Part
        public var initrd: Part
        /// Whether a change of the boot menu, too, is another boot: no such change can be approved before it.
        public var changesWithMenu: Bool
        /// Why something is not known.
        public var reason: String?

        public init(registers: [Int64], commandLine: Part, initrd: Part, changesWithMenu: Bool, reason: String?) {
            self.registers = registers
            self.commandLine = commandLine
            self.initrd = initrd
            self.changesWithMenu = changesWithMenu
            self.reason = reason
        }
    }

    /// Asks what a tie would hold, before it is made or while it is there. Asks no person.
    public struct TieCoverage: VarlinkMethod {
        public static let name = "org.coffer.Keychain.TieCoverage"
        /// Left out for 4 and 7, and those that hold command line and initrd here.
        public var registers: [Int64]?

        public init(registers: [Int64]? = nil) { self.registers = registers }

        public struct Reply: Codable, Sendable, Equatable {
            public var coverage: BootCoverage

            public init(coverage: BootCoverage) { self.coverage = coverage }
        }
    }

    /// A digest of the firmware's log, and what will be measured in its place.
    public struct Replacement: Codable, Sendable, Equatable {
        /// Hex, SHA-256.
        public var old: String
        public var new: String

        public init(old: String, new: String) {
            self.old = old
            self.new = new
        }
    }

    /// What a register is going to hold.
    public struct RegisterValue: Codable, Sendable, Equatable {
        public var register: Int64
        /// Hex, SHA-256.
        public var value: String

        public init(register: Int64, value: String) {
            self.register = register
            self.value = value
        }
    }

    /// Approves a boot that is to come, beside those that are approved; with neither replacements nor values this boot, and no other any more.
    public struct ApproveBoot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.ApproveBoot"
        public typealias Reply = Boot.Reply
        /// Each group is one file's: at least one of a group was measured in this boot.
        public var replacements: [[Replacement]]?
        /// What is left out stays as it is now.
        public var values: [RegisterValue]?
        public var challenge: String?

        public init(
            replacements: [[Replacement]]? = nil, values: [RegisterValue]? = nil, challenge: String? = nil
        ) {
            self.replacements = replacements
            self.values = values
            self.challenge = challenge
        }
    }
}
