// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// What locks a vault by itself.
    public struct LockCauses: JSONValue, Equatable {
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

        private static let jsonNames = ["idleMinutes", "screen", "sleep"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var screen: Bool?
            var sleep: Bool?
            var idleMinutes: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: idleMinutes = try reader.read()
                case 1: screen = try reader.read()
                default: sleep = try reader.read()
                }
            }
            self.init(
                screen: try members.required(screen, "screen"), sleep: try members.required(sleep, "sleep"),
                idleMinutes: idleMinutes
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("idleMinutes", idleMinutes)
            writer.member("screen", screen)
            writer.member("sleep", sleep)
            writer.endObject()
        }
    }

    /// The parts of the present boot that a tie to these registers holds. Coffer takes them from the firmware's log,
    /// as far as the TPM's registers confirm the log.
    public struct BootCoverage: JSONValue, Equatable {
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

        private static let jsonNames = ["changesWithMenu", "commandLine", "initrd", "reason", "registers"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var registers: [Int64]?
            var commandLine: Part?
            var initrd: Part?
            var changesWithMenu: Bool?
            var reason: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: changesWithMenu = try reader.read()
                case 1: commandLine = try reader.read()
                case 2: initrd = try reader.read()
                case 3: reason = try reader.read()
                default: registers = try reader.read()
                }
            }
            self.init(
                registers: try members.required(registers, "registers"),
                commandLine: try members.required(commandLine, "commandLine"),
                initrd: try members.required(initrd, "initrd"),
                changesWithMenu: try members.required(changesWithMenu, "changesWithMenu"), reason: reason
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("changesWithMenu", changesWithMenu)
            writer.member("commandLine", commandLine)
            writer.member("initrd", initrd)
            writer.member("reason", reason)
            writer.member("registers", registers)
            writer.endObject()
        }
    }

    /// An item's application password, for a call that is about several items.
    public struct ItemPassword: JSONValue, Equatable {
        /// The item's id.
        public var item: String
        /// Base64.
        public var password: String

        public init(item: String, password: String) {
            self.item = item
            self.password = password
        }

        private static let jsonNames = ["item", "password"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: String?
            var password: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: item = try reader.read()
                default: password = try reader.read()
                }
            }
            self.init(item: try members.required(item, "item"), password: try members.required(password, "password"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("item", item)
            writer.member("password", password)
            writer.endObject()
        }
    }

    /// The result of one check.
    public struct Finding: JSONValue, Equatable {
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

        private static let jsonNames = ["advice", "check", "message", "verdict"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var check: String?
            var verdict: Verdict?
            var message: String?
            var advice: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: advice = try reader.read()
                case 1: check = try reader.read()
                case 2: message = try reader.read()
                default: verdict = try reader.read()
                }
            }
            self.init(
                check: try members.required(check, "check"), verdict: try members.required(verdict, "verdict"),
                message: try members.required(message, "message"), advice: advice
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("advice", advice)
            writer.member("check", check)
            writer.member("message", message)
            writer.member("verdict", verdict)
            writer.endObject()
        }
    }
}
