// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import Varlink

extension Keychain {
    /// A lease: one process and its descendants read some items without a prompt, until it ends.
    public struct LeaseState: Codable, Sendable, Equatable {
        /// Names the lease, for the log and for people. Knowing it permits nothing.
        public var id: Int64
        /// The process that has it, and its descendants.
        public var pid: Int64
        /// The command that it said it would run.
        public var command: String?
        /// The program that the process ran when it connected, by the kernel's word.
        public var program: String?
        /// The items that it still covers. An item that was changed since is no longer among them.
        public var items: [ItemName]
        public var granted: Int64
        public var ends: Int64

        public init(
            id: Int64, pid: Int64, command: String? = nil, program: String? = nil, items: [ItemName], granted: Int64,
            ends: Int64
        ) {
            self.id = id
            self.pid = pid
            self.command = command
            self.program = program
            self.items = items
            self.granted = granted
            self.ends = ends
        }
    }

    /// Something that happened in a vault.
    public struct Event: Codable, Sendable, Equatable {
        /// It is added, updated or deleted (an item), locked or unlocked (the vault), or missed. missed: there were
        /// more events than the caller took, or another file took the place of the vault's. Call List and Status to
        /// see what was left out. A newer broker may know more of them. Take an event that you do not know for
        /// missed.
        public var event: Kind
        /// The item after the event, or the last one if it was deleted. It is absent in events of the vault.
        public var item: Item?
        /// When it happened.
        public var time: Int64

        public init(event: Kind, item: Item? = nil, time: Int64) {
            self.event = event
            self.item = item
            self.time = time
        }
    }

    /// What locks a vault by itself.
    public struct LockCauses: Codable, Sendable, Equatable {
        /// A locked screen.
        public var screen: Bool
        public var sleep: Bool
        /// The vault locks after so many minutes without use. It is absent if it does not.
        public var idleMinutes: Int64?

        public init(screen: Bool = false, sleep: Bool = false, idleMinutes: Int64? = nil) {
            self.screen = screen
            self.sleep = sleep
            self.idleMinutes = idleMinutes
        }
    }

    /// The parts of the present boot that a tie to these registers holds. Coffer takes them from the firmware's log,
    /// as far as the TPM's registers confirm the log.
    public struct BootCoverage: Codable, Sendable, Equatable {
        public var registers: [Int64]
        /// held: a start with another command line is another boot. open: it is not. unknown: the firmware's log does
        /// not tell.
        public var commandLine: Part
        /// The same for another initrd.
        public var initrd: Part
        /// Each change of the boot menu is another boot, too. Nobody can approve such a change in advance.
        public var changesWithMenu: Bool
        /// Why something is unknown.
        public var reason: String?

        public init(registers: [Int64], commandLine: Part, initrd: Part, changesWithMenu: Bool, reason: String? = nil) {
            self.registers = registers
            self.commandLine = commandLine
            self.initrd = initrd
            self.changesWithMenu = changesWithMenu
            self.reason = reason
        }
    }

    /// An item's application password, for a call that is about several items.
    public struct ItemPassword: Codable, Sendable, Equatable {
        /// The item's id.
        public var item: String
        /// Base64.
        public var password: String

        public init(item: String, password: String) {
            self.item = item
            self.password = password
        }
    }

    /// The result of one check.
    public struct Finding: Codable, Sendable, Equatable {
        /// A stable name (docs/doctor.md). A newer broker may know more of them.
        public var check: String
        /// It is ok, note (nothing to do) or problem.
        public var verdict: Verdict
        /// For people to read.
        public var message: String
        /// What to do, for people to read.
        public var advice: String?

        public init(check: String, verdict: Verdict, message: String, advice: String? = nil) {
            self.check = check
            self.verdict = verdict
            self.message = message
            self.advice = advice
        }
    }
}
