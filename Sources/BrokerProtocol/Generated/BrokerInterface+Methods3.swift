// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import JSON
import Varlink

extension BrokerInterface {
    /// Seals the roots anew that Complete has released: another unlock root, with reseals, and the recovery key. For
    /// purpose tieToBoot they are tied to this boot, and for releaseFromBoot to none. They are not in use before
    /// AdoptRoots.
    public struct ResealForBoot: VarlinkMethod {
        public static let name = "org.coffer.Broker.ResealForBoot"
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        private static let jsonNames = ["challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: try members.required(challenge, "challenge"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// The Names by their roles in decimal (1, 2, 3; tied, 4), base64, 34 bytes each, for the registry.
            public var names: [String: String]
            /// For the registry. It is absent where the vault is to be tied to no boot.
            public var boot: Tie?

            public init(names: [String: String], boot: Tie? = nil) {
                self.names = names
                self.boot = boot
            }

            private static let jsonNames = ["boot", "names"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var names: [String: String]?
                var boot: Tie?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: boot = try reader.read()
                    default: names = try reader.read()
                    }
                }
                self.init(names: try members.required(names, "names"), boot: boot)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("boot", boot)
                writer.member("names", names)
                writer.endObject()
            }
        }
    }

    /// After Reseal or ResealForBoot, because the registry names the sealed roots now: the vault is open with them.
    public struct AdoptRoots: VarlinkMethod {
        public static let name = "org.coffer.Broker.AdoptRoots"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        private static let jsonNames = ["challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: try members.required(challenge, "challenge"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }
    }

    /// For purpose rotate, once Complete has opened the vault: makes the successor. A successor that an earlier
    /// conversation has left is taken up. The items' signatures follow, then Succeed.
    public struct Renew: VarlinkMethod {
        public static let name = "org.coffer.Broker.Renew"
        public typealias Reply = Nothing
        public var challenge: String
        /// The key that the successor is to trust, base64, 65 bytes.
        public var authenticatorKey: String
        /// Of a bound vault: what the password was made into, base64, 32 bytes.
        public var pin: String?
        /// Of a bound vault: what the password was salted with, base64, 16 bytes.
        public var salt: String?

        public init(challenge: String, authenticatorKey: String, pin: String? = nil, salt: String? = nil) {
            self.challenge = challenge
            self.authenticatorKey = authenticatorKey
            self.pin = pin
            self.salt = salt
        }

        private static let jsonNames = ["authenticatorKey", "challenge", "pin", "salt"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var authenticatorKey: String?
            var pin: String?
            var salt: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: authenticatorKey = try reader.read()
                case 1: challenge = try reader.read()
                case 2: pin = try reader.read()
                default: salt = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"),
                authenticatorKey: try members.required(authenticatorKey, "authenticatorKey"), pin: pin, salt: salt
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("authenticatorKey", authenticatorKey)
            writer.member("challenge", challenge)
            writer.member("pin", pin)
            writer.member("salt", salt)
            writer.endObject()
        }
    }

    /// Fills the successor, because all authorizations are complete. With a record in the answer, authorization 0 is
    /// the successor's own opening. AdoptSuccessor follows when the registry names it. Without one there are items
    /// left for another conversation, and this one is done.
    public struct Succeed<Record: JSONValue>: VarlinkMethod {
        public static var name: String { "org.coffer.Broker.Succeed" }
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        private static var jsonNames: [String] { ["challenge"] }

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: try members.required(challenge, "challenge"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue {
            /// The registry record that the successor is to have, as JSON.
            public var record: Record?

            public init(record: Record? = nil) { self.record = record }

            private static var jsonNames: [String] { ["record"] }

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var record: Record?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { record = try reader.read() }
                self.init(record: record)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("record", record)
                writer.endObject()
            }
        }
    }

    /// For purpose rotate: the registry names the successor. It is put in its place, and is open.
    public struct AdoptSuccessor: VarlinkMethod {
        public static let name = "org.coffer.Broker.AdoptSuccessor"
        public typealias Reply = Nothing
        public var challenge: String

        public init(challenge: String) { self.challenge = challenge }

        private static let jsonNames = ["challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { challenge = try reader.read() }
            self.init(challenge: try members.required(challenge, "challenge"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.endObject()
        }
    }

    /// Tells that a login program has let this uid in. The vault is opened without a question, because one was
    /// answered already.
    public struct Report: VarlinkMethod {
        public static let name = "org.coffer.Broker.Report"
        public var uid: Int64
        /// The program is one that unlocks screens. Others are refused (NotPermitted) while a graphical session of
        /// the user is locked.
        public var unlocksScreens: Bool

        public init(uid: Int64, unlocksScreens: Bool = false) {
            self.uid = uid
            self.unlocksScreens = unlocksScreens
        }

        private static let jsonNames = ["uid", "unlocksScreens"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var uid: Int64?
            var unlocksScreens: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: uid = try reader.read()
                default: unlocksScreens = try reader.read()
                }
            }
            self.init(
                uid: try members.required(uid, "uid"),
                unlocksScreens: try members.required(unlocksScreens, "unlocksScreens")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("uid", uid)
            writer.member("unlocksScreens", unlocksScreens)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// The authenticator's own, described by this very answer. It is good over this connection only, and for
            /// no client. It is absent where there is nothing to open: there is no vault, or it is open.
            public var challenge: String?
            /// The vault's id, hex. It is absent where there is no vault.
            public var vault: String?
            /// What the challenge is good for (unlock).
            public var authorizations: [Authorization]

            public init(challenge: String? = nil, vault: String? = nil, authorizations: [Authorization]) {
                self.challenge = challenge
                self.vault = vault
                self.authorizations = authorizations
            }

            private static let jsonNames = ["authorizations", "challenge", "vault"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var challenge: String?
                var vault: String?
                var authorizations: [Authorization]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: authorizations = try reader.read()
                    case 1: challenge = try reader.read()
                    default: vault = try reader.read()
                    }
                }
                self.init(
                    challenge: challenge, vault: vault,
                    authorizations: try members.required(authorizations, "authorizations")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("authorizations", authorizations)
                writer.member("challenge", challenge)
                writer.member("vault", vault)
                writer.endObject()
            }
        }
    }

    /// Ends all leases of this uid, because the authenticator has forgotten them.
    public struct EndLeases: VarlinkMethod {
        public static let name = "org.coffer.Broker.EndLeases"
        public typealias Reply = Nothing
        public var uid: Int64

        public init(uid: Int64) { self.uid = uid }

        private static let jsonNames = ["uid"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var uid: Int64?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { uid = try reader.read() }
            self.init(uid: try members.required(uid, "uid"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("uid", uid)
            writer.endObject()
        }
    }

    /// The person failed or gave up.
    public struct Refuse: VarlinkMethod {
        public static let name = "org.coffer.Broker.Refuse"
        public typealias Reply = Nothing
        public var challenge: String
        /// It is password, expired, denied, tries, biometry, unavailable, cancelled, timeout or other.
        public var reason: String

        public init(challenge: String, reason: String) {
            self.challenge = challenge
            self.reason = reason
        }

        private static let jsonNames = ["challenge", "reason"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var reason: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                default: reason = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"), reason: try members.required(reason, "reason")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("reason", reason)
            writer.endObject()
        }
    }
}
