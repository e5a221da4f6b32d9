// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// How a vault is tied to the measured boot.
    public struct BootState: JSONValue, Equatable {
        /// The registers that tell one boot from another.
        public var registers: [Int64]
        /// The boots under which the vault opens.
        public var approved: [ApprovedBoot]
        /// The present digest of these registers, hex.
        public var now: String
        /// The vault opens under this boot.
        public var isApproved: Bool

        public init(registers: [Int64], approved: [ApprovedBoot], now: String, isApproved: Bool) {
            self.registers = registers
            self.approved = approved
            self.now = now
            self.isApproved = isApproved
        }

        private static let jsonNames = ["approved", "isApproved", "now", "registers"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var registers: [Int64]?
            var approved: [ApprovedBoot]?
            var now: String?
            var isApproved: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: approved = try reader.read()
                case 1: isApproved = try reader.read()
                case 2: now = try reader.read()
                default: registers = try reader.read()
                }
            }
            self.init(
                registers: try members.required(registers, "registers"),
                approved: try members.required(approved, "approved"), now: try members.required(now, "now"),
                isApproved: try members.required(isApproved, "isApproved")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("approved", approved)
            writer.member("isApproved", isApproved)
            writer.member("now", now)
            writer.member("registers", registers)
            writer.endObject()
        }
    }

    /// A digest that was measured in this boot, and the one that will replace it.
    public struct Replacement: JSONValue, Equatable {
        /// SHA-256, hex.
        public var old: String
        /// SHA-256, hex.
        public var new: String

        public init(old: String, new: String) {
            self.old = old
            self.new = new
        }

        private static let jsonNames = ["new", "old"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var old: String?
            var new: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: new = try reader.read()
                default: old = try reader.read()
                }
            }
            self.init(old: try members.required(old, "old"), new: try members.required(new, "new"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("new", new)
            writer.member("old", old)
            writer.endObject()
        }
    }

    /// What a register will hold.
    public struct RegisterValue: JSONValue, Equatable {
        public var register: Int64
        /// SHA-256, hex.
        public var value: String

        public init(register: Int64, value: String) {
            self.register = register
            self.value = value
        }

        private static let jsonNames = ["register", "value"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var register: Int64?
            var value: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: register = try reader.read()
                default: value = try reader.read()
                }
            }
            self.init(register: try members.required(register, "register"), value: try members.required(value, "value"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("register", register)
            writer.member("value", value)
            writer.endObject()
        }
    }

    /// Whether there is a recovery code.
    public struct RecoveryState: JSONValue, Equatable {
        /// When the valid code was made. It is absent if there is none.
        public var made: Int64?

        public init(made: Int64? = nil) { self.made = made }

        private static let jsonNames = ["made"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var made: Int64?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { made = try reader.read() }
            self.init(made: made)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("made", made)
            writer.endObject()
        }
    }

    /// What seals the vault.
    public struct Sealer: JSONValue, Equatable {
        /// It is tpm or software.
        public var kind: String
        public var manufacturer: String?
        public var model: String?
        /// How the TPM is known, besides by the pinned storage key: certified, issuerUnknown, foreignCertificate,
        /// noCertificate. It is absent if Diagnose was not called since the broker started.
        public var identity: String?

        public init(kind: String, manufacturer: String? = nil, model: String? = nil, identity: String? = nil) {
            self.kind = kind
            self.manufacturer = manufacturer
            self.model = model
            self.identity = identity
        }

        private static let jsonNames = ["identity", "kind", "manufacturer", "model"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var kind: String?
            var manufacturer: String?
            var model: String?
            var identity: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: identity = try reader.read()
                case 1: kind = try reader.read()
                case 2: manufacturer = try reader.read()
                default: model = try reader.read()
                }
            }
            self.init(
                kind: try members.required(kind, "kind"), manufacturer: manufacturer, model: model, identity: identity
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("identity", identity)
            writer.member("kind", kind)
            writer.member("manufacturer", manufacturer)
            writer.member("model", model)
            writer.endObject()
        }
    }

    /// One record of the access log. It has names, and never a value.
    public struct LogRecord: JSONValue, Equatable {
        /// Its number. The next record's number is one higher.
        public var sequence: Int64
        public var time: Int64
        /// What was done: create, unlock, lock, read, set, edit, rename, delete, recovery, bind, unbind, rotate, tie,
        /// release, approve, lease (granted), lease-end. rollback: an older copy of the vault's file was refused.
        /// accept: root has accepted one. The log writes four events of its own. start: the log begins. dropped: old
        /// records were dropped. broken: earlier records are missing or changed. cut: the end was lost, for example
        /// by a power cut.
        public var event: String
        /// It is done, or one word for why it was refused: expired, cancelled, locked, password, and so on.
        /// authentication-required: a person was needed, but the program had none asked. expired: nobody answered in
        /// time.
        public var outcome: String
        public var uid: Int64?
        public var pid: Int64?
        /// If resolved, the program that the process ran when it connected. Otherwise the name that the process gives
        /// itself.
        public var program: String?
        /// The kernel named the program at that moment. The process may have run something else since.
        public var resolved: Bool
        public var controlGroup: String?
        public var item: String?
        public var service: String?
        public var account: String?
        /// The item's kind. It is absent if that is generic.
        public var kind: ItemKind?
        public var require: [String]
        /// Why the program asks, in its own words.
        public var reason: String?
        public var detail: String?
        /// How many records before this one could not be written.
        public var missed: Int64?

        public init(
            sequence: Int64, time: Int64, event: String, outcome: String, uid: Int64? = nil, pid: Int64? = nil,
            program: String? = nil, resolved: Bool, controlGroup: String? = nil, item: String? = nil,
            service: String? = nil, account: String? = nil, kind: ItemKind? = nil, require: [String],
            reason: String? = nil, detail: String? = nil, missed: Int64? = nil
        ) {
            self.sequence = sequence
            self.time = time
            self.event = event
            self.outcome = outcome
            self.uid = uid
            self.pid = pid
            self.program = program
            self.resolved = resolved
            self.controlGroup = controlGroup
            self.item = item
            self.service = service
            self.account = account
            self.kind = kind
            self.require = require
            self.reason = reason
            self.detail = detail
            self.missed = missed
        }

        private static let jsonNames = [
            "account", "controlGroup", "detail", "event", "item", "kind", "missed", "outcome", "pid", "program",
            "reason", "require", "resolved", "sequence", "service", "time", "uid",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var sequence: Int64?
            var time: Int64?
            var event: String?
            var outcome: String?
            var uid: Int64?
            var pid: Int64?
            var program: String?
            var resolved: Bool?
            var controlGroup: String?
            var item: String?
            var service: String?
            var account: String?
            var kind: ItemKind?
            var require: [String]?
            var reason: String?
            var detail: String?
            var missed: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: controlGroup = try reader.read()
                case 2: detail = try reader.read()
                case 3: event = try reader.read()
                case 4: item = try reader.read()
                case 5: kind = try reader.read()
                case 6: missed = try reader.read()
                case 7: outcome = try reader.read()
                case 8: pid = try reader.read()
                case 9: program = try reader.read()
                case 10: reason = try reader.read()
                case 11: require = try reader.read()
                case 12: resolved = try reader.read()
                case 13: sequence = try reader.read()
                case 14: service = try reader.read()
                case 15: time = try reader.read()
                default: uid = try reader.read()
                }
            }
            self.init(
                sequence: try members.required(sequence, "sequence"), time: try members.required(time, "time"),
                event: try members.required(event, "event"), outcome: try members.required(outcome, "outcome"),
                uid: uid, pid: pid, program: program, resolved: try members.required(resolved, "resolved"),
                controlGroup: controlGroup, item: item, service: service, account: account, kind: kind,
                require: try members.required(require, "require"), reason: reason, detail: detail, missed: missed
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("controlGroup", controlGroup)
            writer.member("detail", detail)
            writer.member("event", event)
            writer.member("item", item)
            writer.member("kind", kind)
            writer.member("missed", missed)
            writer.member("outcome", outcome)
            writer.member("pid", pid)
            writer.member("program", program)
            writer.member("reason", reason)
            writer.member("require", require)
            writer.member("resolved", resolved)
            writer.member("sequence", sequence)
            writer.member("service", service)
            writer.member("time", time)
            writer.member("uid", uid)
            writer.endObject()
        }
    }
}
