// Made by scripts/interfaces from Interfaces/org.coffer.Keychain.varlink: change that file.
import Item
import JSON
import Varlink

extension Keychain {
    /// Makes a recovery code for the caller's own vault. An earlier code stays valid until ConfirmRecoveryCode.
    public struct NewRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.NewRecoveryCode"
        public var challenge: String?

        public init(challenge: String? = nil) { self.challenge = challenge }

        private static let jsonNames = ["challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Six groups of five characters, joined by hyphens.
            public var code: String
            /// The number of the group that ConfirmRecoveryCode must repeat, from 1.
            public var part: Int64

            public init(code: String, part: Int64) {
                self.code = code
                self.part = part
            }

            private static let jsonNames = ["code", "part"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var code: String?
                var part: Int64?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: code = try reader.read()
                    default: part = try reader.read()
                    }
                }
                self.init(code: try members.required(code, "code"), part: try members.required(part, "part"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("code", code)
                writer.member("part", part)
                writer.endObject()
            }
        }
    }

    /// Confirms the code that NewRecoveryCode gave to this process at most ten minutes ago. The code is then valid.
    public struct ConfirmRecoveryCode: VarlinkMethod {
        public static let name = "org.coffer.Keychain.ConfirmRecoveryCode"
        /// The group that was asked back. After the fifth wrong one the code is dropped.
        public var characters: String

        public init(characters: String) { self.characters = characters }

        private static let jsonNames = ["characters"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var characters: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { characters = try reader.read() }
            self.init(characters: try members.required(characters, "characters"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("characters", characters)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// When the code was made.
            public var made: Int64

            public init(made: Int64) { self.made = made }

            private static let jsonNames = ["made"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var made: Int64?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { made = try reader.read() }
                self.init(made: try members.required(made, "made"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("made", made)
                writer.endObject()
            }
        }
    }

    /// Tells how the caller's own vault is tied to the measured boot.
    public struct Boot: VarlinkMethod {
        public static let name = "org.coffer.Keychain.Boot"
        public typealias Reply = BootReply

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }
    }

    /// Tells what a tie would hold or holds. It asks no person.
    public struct TieCoverage: VarlinkMethod {
        public static let name = "org.coffer.Keychain.TieCoverage"
        /// If it is left out: 4, 7, and those that hold the kernel's command line and initrd here.
        public var registers: [Int64]?

        public init(registers: [Int64]? = nil) { self.registers = registers }

        private static let jsonNames = ["registers"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var registers: [Int64]?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { registers = try reader.read() }
            self.init(registers: registers)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("registers", registers)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var coverage: BootCoverage

            public init(coverage: BootCoverage) { self.coverage = coverage }

            private static let jsonNames = ["coverage"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var coverage: BootCoverage?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { coverage = try reader.read() }
                self.init(coverage: try members.required(coverage, "coverage"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("coverage", coverage)
                writer.endObject()
            }
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

        private static let jsonNames = ["challenge", "registers", "release", "weak"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var registers: [Int64]?
            var weak: Bool?
            var release: Bool?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: registers = try reader.read()
                case 2: release = try reader.read()
                default: weak = try reader.read()
                }
            }
            self.init(registers: registers, weak: weak, release: release, challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("registers", registers)
            writer.member("release", release)
            writer.member("weak", weak)
            writer.endObject()
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

        private static let jsonNames = ["challenge", "replacements", "values"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var replacements: [[Replacement]]?
            var values: [RegisterValue]?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: replacements = try reader.read()
                default: values = try reader.read()
                }
            }
            self.init(replacements: replacements, values: values, challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("replacements", replacements)
            writer.member("values", values)
            writer.endObject()
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

        private static let jsonNames = ["applicationPasswords", "challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var applicationPasswords: [ItemPassword]?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: applicationPasswords = try reader.read()
                default: challenge = try reader.read()
                }
            }
            self.init(applicationPasswords: applicationPasswords, challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("applicationPasswords", applicationPasswords)
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
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

            private static let jsonNames = ["items", "passwords", "revoked"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var items: Int64?
                var passwords: [Item]?
                var revoked: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: items = try reader.read()
                    case 1: passwords = try reader.read()
                    default: revoked = try reader.read()
                    }
                }
                self.init(
                    items: items, passwords: try members.required(passwords, "passwords"),
                    revoked: try members.required(revoked, "revoked")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("items", items)
                writer.member("passwords", passwords)
                writer.member("revoked", revoked)
                writer.endObject()
            }
        }
    }
}
