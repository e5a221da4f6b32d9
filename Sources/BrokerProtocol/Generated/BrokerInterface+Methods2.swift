// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import JSON
import Varlink

extension BrokerInterface {
    /// For purpose enrolment: makes a key for enrolled fingers, unless the vault has it. It is not in use before
    /// ConfirmEnrolment.
    public struct ProvideKey: VarlinkMethod {
        public static let name = "org.coffer.Broker.ProvideKey"
        public var challenge: String
        /// It is biometry-current-set.
        public var kind: String
        /// The digest of these fingers, base64, 32 bytes.
        public var setDigest: String

        public init(challenge: String, kind: String, setDigest: String) {
            self.challenge = challenge
            self.kind = kind
            self.setDigest = setDigest
        }

        private static let jsonNames = ["challenge", "kind", "setDigest"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var kind: String?
            var setDigest: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: kind = try reader.read()
                default: setDigest = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"), kind: try members.required(kind, "kind"),
                setDigest: try members.required(setDigest, "setDigest")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("kind", kind)
            writer.member("setDigest", setDigest)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// The key's Name, base64, 34 bytes, for the registry.
            public var name: String

            public init(name: String) { self.name = name }

            private static let jsonNames = ["name"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var name: String?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { name = try reader.read() }
                self.init(name: try members.required(name, "name"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("name", name)
                writer.endObject()
            }
        }
    }

    /// For purpose enrolment: the item may be bound. The registry names the key, if one was needed.
    public struct ConfirmEnrolment: VarlinkMethod {
        public static let name = "org.coffer.Broker.ConfirmEnrolment"
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

    /// For purpose accept: the owner has consented, and the client is root.
    public struct ConfirmAcceptance: VarlinkMethod {
        public static let name = "org.coffer.Broker.ConfirmAcceptance"
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

    /// Opens the TPM session for one authorization. The TPM waits, so Complete must follow within 5 seconds.
    public struct Prepare: VarlinkMethod {
        public static let name = "org.coffer.Broker.Prepare"
        public var challenge: String
        /// Its index.
        public var authorization: Int64

        public init(challenge: String, authorization: Int64) {
            self.challenge = challenge
            self.authorization = authorization
        }

        private static let jsonNames = ["authorization", "challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var authorization: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: authorization = try reader.read()
                default: challenge = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"),
                authorization: try members.required(authorization, "authorization")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("authorization", authorization)
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// The session's, base64, 32 bytes.
            public var nonce: String
            /// The hash of the one command that the session is for, base64, 32 bytes.
            public var parameterHash: String

            public init(nonce: String, parameterHash: String) {
                self.nonce = nonce
                self.parameterHash = parameterHash
            }

            private static let jsonNames = ["nonce", "parameterHash"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var nonce: String?
                var parameterHash: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: nonce = try reader.read()
                    default: parameterHash = try reader.read()
                    }
                }
                self.init(
                    nonce: try members.required(nonce, "nonce"),
                    parameterHash: try members.required(parameterHash, "parameterHash")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("nonce", nonce)
                writer.member("parameterHash", parameterHash)
                writer.endObject()
            }
        }
    }

    /// Brings the signature for one authorization. A wrong pin is TPM of kind wrong-password, with triesLeft. The
    /// authorization may then be prepared again, once.
    public struct Complete: VarlinkMethod {
        public static let name = "org.coffer.Broker.Complete"
        public typealias Reply = Nothing
        public var challenge: String
        /// Its index.
        public var authorization: Int64
        /// r ‖ s over nonce ‖ 0 ‖ parameter hash ‖ policy reference, base64, 64 bytes.
        public var signature: String
        /// How the person was recognised where not by being asked for this challenge, for the access log. reuse: by
        /// an earlier answer in the same terminal. shared: by the prompt of another request of the same process,
        /// which named this one. lease: by the answer that granted a lease. The broker checks this one by its own
        /// record.
        public var means: String?
        /// For the unlock root of a bound vault: what the login password that PAM has just accepted was made into.
        /// Base64, 32 bytes.
        public var pin: String?
        /// Reseal or ResealForBoot follows. The vault is not opened before that is done.
        public var reseals: Bool?

        public init(
            challenge: String, authorization: Int64, signature: String, means: String? = nil, pin: String? = nil,
            reseals: Bool? = nil
        ) {
            self.challenge = challenge
            self.authorization = authorization
            self.signature = signature
            self.means = means
            self.pin = pin
            self.reseals = reseals
        }

        private static let jsonNames = ["authorization", "challenge", "means", "pin", "reseals", "signature"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var authorization: Int64?
            var signature: String?
            var means: String?
            var pin: String?
            var reseals: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: authorization = try reader.read()
                case 1: challenge = try reader.read()
                case 2: means = try reader.read()
                case 3: pin = try reader.read()
                case 4: reseals = try reader.read()
                default: signature = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"),
                authorization: try members.required(authorization, "authorization"),
                signature: try members.required(signature, "signature"), means: means, pin: pin, reseals: reseals
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("authorization", authorization)
            writer.member("challenge", challenge)
            writer.member("means", means)
            writer.member("pin", pin)
            writer.member("reseals", reseals)
            writer.member("signature", signature)
            writer.endObject()
        }
    }

    /// Seals another unlock root, after Complete has released the one in use. It is in the vault beside that one. It
    /// is not in use before AdoptRoots.
    public struct Reseal: VarlinkMethod {
        public static let name = "org.coffer.Broker.Reseal"
        public var challenge: String
        /// What the password was made into, base64, 32 bytes. It is left out for purpose unbind.
        public var pin: String?

        public init(challenge: String, pin: String? = nil) {
            self.challenge = challenge
            self.pin = pin
        }

        private static let jsonNames = ["challenge", "pin"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var pin: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                default: pin = try reader.read()
                }
            }
            self.init(challenge: try members.required(challenge, "challenge"), pin: pin)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("pin", pin)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// The Name of the sealed root, base64, 34 bytes, for the registry.
            public var name: String
            /// For the registry. It is there with a pin.
            public var index: PINIndex?

            public init(name: String, index: PINIndex? = nil) {
                self.name = name
                self.index = index
            }

            private static let jsonNames = ["index", "name"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var name: String?
                var index: PINIndex?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: index = try reader.read()
                    default: name = try reader.read()
                    }
                }
                self.init(name: try members.required(name, "name"), index: index)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("index", index)
                writer.member("name", name)
                writer.endObject()
            }
        }
    }
}
