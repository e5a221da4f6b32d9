// Made by scripts/interfaces from Interfaces/org.coffer.Broker.varlink: change that file.
import Item
import JSON
import Varlink

/// What authenticator and broker say to each other, on the broker's private socket. Byte strings are base64. The
/// broker listens to the authenticator's uid only. The authenticator speaks to the broker's uid only. Its errors have
/// message, advice and cause as those of org.coffer.Keychain.
public enum BrokerInterface {
    /// The interface's name.
    public static let interface = "org.coffer.Broker"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # What authenticator and broker say to each other, on the broker's private socket. Byte strings are base64.
        # The broker listens to the authenticator's uid only. The authenticator speaks to the broker's uid only.
        # Its errors have message, advice and cause as those of org.coffer.Keychain.
        interface org.coffer.Broker

        # What the authenticator is to sign.
        type Authorization (
          # The policy reference's kind: unlock, presence, recovery, boot, and so on.
          kind: string,
          # The digest of the enrolled fingers, base64. It is empty but for biometry-current-set.
          setDigest: string,
          # The point that an item's key is agreed on with, base64. No other version of any item has it.
          # It is absent where no item is read.
          point: ?string
        )

        # An item, as a person knows it.
        type NamedItem (
          service: string,
          account: string,
          # It is absent if that is generic.
          kind: ?string,
          # Its former value of this version is meant, and not its present one.
          version: ?int,
          # The fields that are meant. It is absent for secret alone.
          fields: ?[]string
        )

        # What a lease is asked for, besides its items.
        type LeaseTerms (
          # How long it lasts.
          seconds: int,
          # The command that the process is about to run, in its own words.
          command: ?string
        )

        # Tells what a challenge is about.
        method Describe(
          challenge: string,
          # The authenticator's client. Its uid, pid and start time must be the challenge's own.
          uid: int,
          pid: int,
          # Field 22 of /proc/PID/stat.
          startTime: int,
          # What the client's process ran when it connected, by the kernel's word, for the access log.
          # It is left out where the authenticator could not read it.
          program: ?string
        ) -> (
          owner: string,
          # The vault's id, hex. It is absent when the vault is to be made.
          vault: ?string,
          # What the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate, accept,
          # tieToBoot, releaseFromBoot, approveBoot, enrolment, lease, foundCircle, addToCircle, paperToCircle,
          # joinCircle, removeFromCircle, releaseToCircle.
          purposes: []string,
          service: ?string,
          account: ?string,
          # The item's kind. It is absent if that is generic.
          kind: ?string,
          # For purpose read: the item's former value of this version is read. It is absent for the present value.
          version: ?int,
          # The fields of the item that are read or sealed anew. It is absent for secret alone.
          fields: ?[]string,
          # The program's own words.
          reason: ?string,
          # What can be signed. There are of each kind but unlock no more than there are fields of items.
          authorizations: []Authorization,
          # Each is a complete set of indexes into authorizations. One of the sets has to be met, and only one is.
          # The authenticator itself knows which PAM services that takes.
          alternatives: [][]int,
          # When the client's own vault was last locked, or the broker started, in milliseconds of CLOCK_BOOTTIME.
          # No answer that is older can be used again.
          lastLock: int,
          # For purpose enrolment: the kinds that an item is to be bound to (biometry-any, biometry-current-set).
          # Nobody is asked, and nothing is signed.
          enrolment: ?[]string,
          # For purpose rotate, for a read of several items and for a lease: all that is read, no name twice with the same fields.
          # The person is shown all of them. For a read of several items and for a lease, service and account are absent.
          items: ?[]NamedItem,
          # For purpose lease.
          lease: ?LeaseTerms,
          # By the broker's records, a lease of this process or of an ancestor covers the whole request.
          # The authenticator decides by its own record.
          leased: ?bool,
          # For purpose rename: what the item is to be called from then on. With a version: what the item is called now.
          # Service and account are then the name that it had with that value. They are absent if it has that name still.
          newService: ?string,
          newAccount: ?string,
          # For a bound vault: a key made from the device root, base64, 32 bytes. Under it the authenticator remembers a
          # password that the vault is not bound to, so that nobody can guess at that password without this machine's TPM.
          passwordKey: ?string,
          # For purposes foundCircle, addToCircle, paperToCircle and removeFromCircle: the statement that is signed, base64
          # (docs/sync-members.md).
          # The authenticator computes from it what the TPM is to sign, and writes the prompt from it.
          statement: ?string,
          # For purposes addToCircle, paperToCircle and removeFromCircle: the public keys of the device that signs, base64.
          signer: ?string,
          # For purposes addToCircle and joinCircle: the request of the machine that joins, base64.
          request: ?string,
          # For purpose addToCircle, if the machine that joins has answered a challenge: its evidence, base64.
          evidence: ?string,
          # For purpose joinCircle, and for purpose rotate of a vault that shares its items: the circle's id, hex.
          circle: ?string,
          # For purpose joinCircle: what the circle's machines call themselves. For purpose removeFromCircle: what those call
          # themselves that the statement names, in its order. For purpose releaseToCircle: what the receivers call themselves.
          # For purpose rotate with a circle: what its other machines call themselves.
          machines: ?[]string,
          # If a finger can be among the answers: a graphical session of the client's user is locked, and that user's own vault
          # was not opened since. It is absent where the broker cannot tell. No finger is asked for unless it is false.
          screenLocked: ?bool
        )

        # Another open challenge of the same process. The same proof of a person answers it.
        type Companion (
          # SHA-256 of the challenge, hex.
          digest: string,
          service: ?string,
          account: ?string,
          # As for Describe.
          kind: ?string,
          # As for Describe.
          fields: ?[]string,
          reason: ?string
        )

        # Tells what else the process of a described challenge waits for.
        # It is of the same owner, for the same purposes, by the same signatures.
        # There are 31 at most, and none but where the purposes are read, or unlock and read.
        method Companions(challenge: string) -> (companions: []Companion)

        # Makes a new vault's keys and its file. The vault is not yet in use.
        method Provision(
          challenge: string,
          # The key that the vault is to trust, base64, 65 bytes.
          authenticatorKey: string
        ) -> (
          # The registry record, as JSON.
          record: object
        )

        # After Provision, because the registry names the vault now: puts it in its place.
        method AdoptVault(challenge: string) -> (
          # What is to be signed now: unlock.
          authorizations: []Authorization
        )

        # For purpose enrolment: makes a key for enrolled fingers, unless the vault has it.
        # It is not in use before ConfirmEnrolment.
        method ProvideKey(
          challenge: string,
          # It is biometry-current-set.
          kind: string,
          # The digest of these fingers, base64, 32 bytes.
          setDigest: string
        ) -> (
          # The key's Name, base64, 34 bytes, for the registry.
          name: string
        )

        # For purpose enrolment: the item may be bound. The registry names the key, if one was needed.
        method ConfirmEnrolment(challenge: string) -> ()

        # For purpose accept: the owner has consented, and the client is root.
        method ConfirmAcceptance(challenge: string) -> ()

        # Opens the TPM session for one authorization. The TPM waits, so Complete must follow within 5 seconds.
        method Prepare(
          challenge: string,
          # Its index.
          authorization: int
        ) -> (
          # The session's, base64, 32 bytes.
          nonce: string,
          # The hash of the one command that the session is for, base64, 32 bytes.
          parameterHash: string
        )

        # Brings the signature for one authorization.
        # A wrong pin is TPM of kind wrong-password, with triesLeft. The authorization may then be prepared again, once.
        method Complete(
          challenge: string,
          # Its index.
          authorization: int,
          # r ‖ s over nonce ‖ 0 ‖ parameter hash ‖ policy reference, base64, 64 bytes.
          signature: string,
          # How the person was recognised where not by being asked for this challenge, for the access log.
          # reuse: by an earlier answer in the same terminal.
          # shared: by the prompt of another request of the same process, which named this one.
          # lease: by the answer that granted a lease. The broker checks this one by its own record.
          means: ?string,
          # For the unlock root of a bound vault: what the login password that PAM has just accepted was made into.
          # Base64, 32 bytes.
          pin: ?string,
          # Reseal or ResealForBoot follows. The vault is not opened before that is done.
          reseals: ?bool
        ) -> ()

        # An index in the TPM. It counts the tries of a bound vault's password, or holds the approved boots.
        type PINIndex (
          handle: int,
          # Base64, 32 bytes.
          policy: string
        )

        # Seals another unlock root, after Complete has released the one in use. It is in the vault beside that one.
        # It is not in use before AdoptRoots.
        method Reseal(
          challenge: string,
          # What the password was made into, base64, 32 bytes. It is left out for purpose unbind.
          pin: ?string
        ) -> (
          # The Name of the sealed root, base64, 34 bytes, for the registry.
          name: string,
          # For the registry. It is there with a pin.
          index: ?PINIndex
        )

        # What a vault is tied to the boot by.
        type Tie (
          index: PINIndex,
          # The registers that tell the boot.
          registers: []int
        )

        # Seals the roots anew that Complete has released: another unlock root, with reseals, and the recovery key.
        # For purpose tieToBoot they are tied to this boot, and for releaseFromBoot to none. They are not in use before AdoptRoots.
        method ResealForBoot(challenge: string) -> (
          # The Names by their roles in decimal (1, 2, 3; tied, 4), base64, 34 bytes each, for the registry.
          names: [string]string,
          # For the registry. It is absent where the vault is to be tied to no boot.
          boot: ?Tie
        )

        # After Reseal or ResealForBoot, because the registry names the sealed roots now: the vault is open with them.
        method AdoptRoots(challenge: string) -> ()

        # For purpose rotate, once Complete has opened the vault: makes the successor.
        # A successor that an earlier conversation has left is taken up. The items' signatures follow, then Succeed.
        method Renew(
          challenge: string,
          # The key that the successor is to trust, base64, 65 bytes.
          authenticatorKey: string,
          # Of a bound vault: what the password was made into, base64, 32 bytes.
          pin: ?string,
          # Of a bound vault: what the password was salted with, base64, 16 bytes.
          salt: ?string
        ) -> ()

        # What a membership key is to sign so that the other machines of a circle know the successor (docs/sync-members.md).
        type SuccessionSigning (
          # The public keys of the device whose vault is renewed, base64.
          signer: string,
          # The public keys that the successor will have in the circle, base64.
          keys: string,
          # The statement, base64, which the vault's membership key signs.
          # It is absent if the successor's membership key is to prove itself: it signs the bytes of the proof.
          statement: ?string,
          # As in Prepare.
          nonce: string,
          parameterHash: string
        )

        # For purpose rotate of a vault that shares its items, after Renew: what is to be signed next for the circle.
        # CompleteSuccession follows, and then this call again, until there is nothing to sign.
        method PrepareSuccession(challenge: string) -> (
          # The registry record that the successor is to have, as JSON. Both are absent if nothing is left to sign.
          record: ?object,
          signing: ?SuccessionSigning
        )

        # The signature that the last PrepareSuccession was for, base64, 64 bytes.
        method CompleteSuccession(challenge: string, signature: string) -> ()

        # Fills the successor, because all authorizations are complete.
        # With a record in the answer, authorization 0 is the successor's own opening. AdoptSuccessor follows when the registry names it.
        # Without one there are items left for another conversation, and this one is done.
        method Succeed(challenge: string) -> (
          # The registry record that the successor is to have, as JSON.
          record: ?object
        )

        # For purpose rotate: the registry names the successor. It is put in its place, and is open.
        method AdoptSuccessor(challenge: string) -> ()

        # Tells that a login program has let this uid in.
        # The vault is opened without a question, because one was answered already.
        method Report(
          uid: int,
          # The program is one that unlocks screens.
          # Others are refused (NotPermitted) while a graphical session of the user is locked.
          unlocksScreens: bool
        ) -> (
          # The authenticator's own, described by this very answer. It is good over this connection only, and for no client.
          # It is absent where there is nothing to open: there is no vault, or it is open.
          challenge: ?string,
          # The vault's id, hex. It is absent where there is no vault.
          vault: ?string,
          # What the challenge is good for (unlock).
          authorizations: []Authorization
        )

        # Ends all leases of this uid, because the authenticator has forgotten them.
        method EndLeases(uid: int) -> ()

        # The person failed or gave up.
        method Refuse(
          challenge: string,
          # It is password, expired, denied, tries, biometry, unavailable, cancelled, timeout or other.
          reason: string
        ) -> ()

        # The challenge is unknown, used, too old, or another process's.
        error ChallengeRefused (message: string, advice: ?string)
        # The TPM could not do it.
        error TPM (
          message: string,
          advice: ?string,
          # It is one of TPM's in org.coffer.Keychain, or wrong-password.
          kind: string,
          # The TPM's own code, or 0.
          code: int,
          # With kind wrong-password: how many more the TPM takes.
          triesLeft: ?int
        )
        # The store is damaged, or not the one that belongs here.
        error Damaged (
          message: string,
          advice: ?string,
          # It is rollback where the vault's file is an older copy, or where what counts is gone.
          kind: ?string,
          cause: ?string
        )
        # The caller may not do this.
        error NotPermitted (message: string, advice: ?string)
        # The broker could not do it, for another reason.
        error Failed (
          message: string,
          advice: ?string,
          # As for Failed in org.coffer.Keychain.
          kind: ?string,
          cause: ?string
        )
        # A parameter cannot be used.
        error InvalidArgument (message: string, advice: ?string)

        """#

    /// What the authenticator is to sign.
    public struct Authorization: JSONValue, Equatable {
        /// The policy reference's kind: unlock, presence, recovery, boot, and so on.
        public var kind: String
        /// The digest of the enrolled fingers, base64. It is empty but for biometry-current-set.
        public var setDigest: String
        /// The point that an item's key is agreed on with, base64. No other version of any item has it. It is absent
        /// where no item is read.
        public var point: String?

        public init(kind: String, setDigest: String = "", point: String? = nil) {
            self.kind = kind
            self.setDigest = setDigest
            self.point = point
        }

        private static let jsonNames = ["kind", "point", "setDigest"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var kind: String?
            var setDigest: String?
            var point: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: kind = try reader.read()
                case 1: point = try reader.read()
                default: setDigest = try reader.read()
                }
            }
            self.init(
                kind: try members.required(kind, "kind"), setDigest: try members.required(setDigest, "setDigest"),
                point: point
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("kind", kind)
            writer.member("point", point)
            writer.member("setDigest", setDigest)
            writer.endObject()
        }
    }

    /// An item, as a person knows it.
    public struct NamedItem: JSONValue, Equatable {
        public var service: String
        public var account: String
        /// It is absent if that is generic.
        public var kind: ItemKind?
        /// Its former value of this version is meant, and not its present one.
        public var version: Int64?
        /// The fields that are meant. It is absent for secret alone.
        public var fields: [String]?

        public init(
            service: String, account: String, kind: ItemKind? = nil, version: Int64? = nil, fields: [String]? = nil
        ) {
            self.service = service
            self.account = account
            self.kind = kind
            self.version = version
            self.fields = fields
        }

        private static let jsonNames = ["account", "fields", "kind", "service", "version"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: ItemKind?
            var version: Int64?
            var fields: [String]?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: fields = try reader.read()
                case 2: kind = try reader.read()
                case 3: service = try reader.read()
                default: version = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, version: version, fields: fields
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("fields", fields)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// What a lease is asked for, besides its items.
    public struct LeaseTerms: JSONValue, Equatable {
        /// How long it lasts.
        public var seconds: Int64
        /// The command that the process is about to run, in its own words.
        public var command: String?

        public init(seconds: Int64, command: String? = nil) {
            self.seconds = seconds
            self.command = command
        }

        private static let jsonNames = ["command", "seconds"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var seconds: Int64?
            var command: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: command = try reader.read()
                default: seconds = try reader.read()
                }
            }
            self.init(seconds: try members.required(seconds, "seconds"), command: command)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("command", command)
            writer.member("seconds", seconds)
            writer.endObject()
        }
    }

    /// Another open challenge of the same process. The same proof of a person answers it.
    public struct Companion: JSONValue, Equatable {
        /// SHA-256 of the challenge, hex.
        public var digest: String
        public var service: String?
        public var account: String?
        /// As for Describe.
        public var kind: ItemKind?
        /// As for Describe.
        public var fields: [String]?
        public var reason: String?

        public init(
            digest: String, service: String? = nil, account: String? = nil, kind: ItemKind? = nil,
            fields: [String]? = nil, reason: String? = nil
        ) {
            self.digest = digest
            self.service = service
            self.account = account
            self.kind = kind
            self.fields = fields
            self.reason = reason
        }

        private static let jsonNames = ["account", "digest", "fields", "kind", "reason", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var digest: String?
            var service: String?
            var account: String?
            var kind: ItemKind?
            var fields: [String]?
            var reason: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: digest = try reader.read()
                case 2: fields = try reader.read()
                case 3: kind = try reader.read()
                case 4: reason = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(
                digest: try members.required(digest, "digest"), service: service, account: account, kind: kind,
                fields: fields, reason: reason
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("digest", digest)
            writer.member("fields", fields)
            writer.member("kind", kind)
            writer.member("reason", reason)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// An index in the TPM. It counts the tries of a bound vault's password, or holds the approved boots.
    public struct PINIndex: JSONValue, Equatable {
        public var handle: Int64
        /// Base64, 32 bytes.
        public var policy: String

        public init(handle: Int64, policy: String) {
            self.handle = handle
            self.policy = policy
        }

        private static let jsonNames = ["handle", "policy"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var handle: Int64?
            var policy: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: handle = try reader.read()
                default: policy = try reader.read()
                }
            }
            self.init(handle: try members.required(handle, "handle"), policy: try members.required(policy, "policy"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("handle", handle)
            writer.member("policy", policy)
            writer.endObject()
        }
    }

    /// What a vault is tied to the boot by.
    public struct Tie: JSONValue, Equatable {
        public var index: PINIndex
        /// The registers that tell the boot.
        public var registers: [Int64]

        public init(index: PINIndex, registers: [Int64]) {
            self.index = index
            self.registers = registers
        }

        private static let jsonNames = ["index", "registers"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var index: PINIndex?
            var registers: [Int64]?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: index = try reader.read()
                default: registers = try reader.read()
                }
            }
            self.init(
                index: try members.required(index, "index"), registers: try members.required(registers, "registers")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("index", index)
            writer.member("registers", registers)
            writer.endObject()
        }
    }

    /// What a membership key is to sign so that the other machines of a circle know the successor
    /// (docs/sync-members.md).
    public struct SuccessionSigning: JSONValue, Equatable {
        /// The public keys of the device whose vault is renewed, base64.
        public var signer: String
        /// The public keys that the successor will have in the circle, base64.
        public var keys: String
        /// The statement, base64, which the vault's membership key signs. It is absent if the successor's membership
        /// key is to prove itself: it signs the bytes of the proof.
        public var statement: String?
        /// As in Prepare.
        public var nonce: String
        public var parameterHash: String

        public init(signer: String, keys: String, statement: String? = nil, nonce: String, parameterHash: String) {
            self.signer = signer
            self.keys = keys
            self.statement = statement
            self.nonce = nonce
            self.parameterHash = parameterHash
        }

        private static let jsonNames = ["keys", "nonce", "parameterHash", "signer", "statement"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var signer: String?
            var keys: String?
            var statement: String?
            var nonce: String?
            var parameterHash: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: keys = try reader.read()
                case 1: nonce = try reader.read()
                case 2: parameterHash = try reader.read()
                case 3: signer = try reader.read()
                default: statement = try reader.read()
                }
            }
            self.init(
                signer: try members.required(signer, "signer"), keys: try members.required(keys, "keys"),
                statement: statement, nonce: try members.required(nonce, "nonce"),
                parameterHash: try members.required(parameterHash, "parameterHash")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("keys", keys)
            writer.member("nonce", nonce)
            writer.member("parameterHash", parameterHash)
            writer.member("signer", signer)
            writer.member("statement", statement)
            writer.endObject()
        }
    }

    /// Tells what a challenge is about.
    public struct Describe: VarlinkMethod {
        public static let name = "org.coffer.Broker.Describe"
        public var challenge: String
        /// The authenticator's client. Its uid, pid and start time must be the challenge's own.
        public var uid: Int64
        public var pid: Int64
        /// Field 22 of /proc/PID/stat.
        public var startTime: Int64
        /// What the client's process ran when it connected, by the kernel's word, for the access log. It is left out
        /// where the authenticator could not read it.
        public var program: String?

        public init(challenge: String, uid: Int64, pid: Int64, startTime: Int64, program: String? = nil) {
            self.challenge = challenge
            self.uid = uid
            self.pid = pid
            self.startTime = startTime
            self.program = program
        }

        private static let jsonNames = ["challenge", "pid", "program", "startTime", "uid"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var uid: Int64?
            var pid: Int64?
            var startTime: Int64?
            var program: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: pid = try reader.read()
                case 2: program = try reader.read()
                case 3: startTime = try reader.read()
                default: uid = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"), uid: try members.required(uid, "uid"),
                pid: try members.required(pid, "pid"), startTime: try members.required(startTime, "startTime"),
                program: program
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("pid", pid)
            writer.member("program", program)
            writer.member("startTime", startTime)
            writer.member("uid", uid)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var owner: String
            /// The vault's id, hex. It is absent when the vault is to be made.
            public var vault: String?
            /// What the person is asked for: create, unlock, read, change, rename, recovery, bind, unbind, rotate,
            /// accept, tieToBoot, releaseFromBoot, approveBoot, enrolment, lease, foundCircle, addToCircle,
            /// paperToCircle, joinCircle, removeFromCircle, releaseToCircle.
            public var purposes: [Keychain.Purpose]
            public var service: String?
            public var account: String?
            /// The item's kind. It is absent if that is generic.
            public var kind: ItemKind?
            /// For purpose read: the item's former value of this version is read. It is absent for the present value.
            public var version: Int64?
            /// The fields of the item that are read or sealed anew. It is absent for secret alone.
            public var fields: [String]?
            /// The program's own words.
            public var reason: String?
            /// What can be signed. There are of each kind but unlock no more than there are fields of items.
            public var authorizations: [Authorization]
            /// Each is a complete set of indexes into authorizations. One of the sets has to be met, and only one is.
            /// The authenticator itself knows which PAM services that takes.
            public var alternatives: [[Int64]]
            /// When the client's own vault was last locked, or the broker started, in milliseconds of CLOCK_BOOTTIME.
            /// No answer that is older can be used again.
            public var lastLock: Int64
            /// For purpose enrolment: the kinds that an item is to be bound to (biometry-any, biometry-current-set).
            /// Nobody is asked, and nothing is signed.
            public var enrolment: [String]?
            /// For purpose rotate, for a read of several items and for a lease: all that is read, no name twice with
            /// the same fields. The person is shown all of them. For a read of several items and for a lease, service
            /// and account are absent.
            public var items: [NamedItem]?
            /// For purpose lease.
            public var lease: LeaseTerms?
            /// By the broker's records, a lease of this process or of an ancestor covers the whole request. The
            /// authenticator decides by its own record.
            public var leased: Bool?
            /// For purpose rename: what the item is to be called from then on. With a version: what the item is
            /// called now. Service and account are then the name that it had with that value. They are absent if it
            /// has that name still.
            public var newService: String?
            public var newAccount: String?
            /// For a bound vault: a key made from the device root, base64, 32 bytes. Under it the authenticator
            /// remembers a password that the vault is not bound to, so that nobody can guess at that password without
            /// this machine's TPM.
            public var passwordKey: String?
            /// For purposes foundCircle, addToCircle, paperToCircle and removeFromCircle: the statement that is
            /// signed, base64 (docs/sync-members.md). The authenticator computes from it what the TPM is to sign, and
            /// writes the prompt from it.
            public var statement: String?
            /// For purposes addToCircle, paperToCircle and removeFromCircle: the public keys of the device that
            /// signs, base64.
            public var signer: String?
            /// For purposes addToCircle and joinCircle: the request of the machine that joins, base64.
            public var request: String?
            /// For purpose addToCircle, if the machine that joins has answered a challenge: its evidence, base64.
            public var evidence: String?
            /// For purpose joinCircle, and for purpose rotate of a vault that shares its items: the circle's id, hex.
            public var circle: String?
            /// For purpose joinCircle: what the circle's machines call themselves. For purpose removeFromCircle: what
            /// those call themselves that the statement names, in its order. For purpose releaseToCircle: what the
            /// receivers call themselves. For purpose rotate with a circle: what its other machines call themselves.
            public var machines: [String]?
            /// If a finger can be among the answers: a graphical session of the client's user is locked, and that
            /// user's own vault was not opened since. It is absent where the broker cannot tell. No finger is asked
            /// for unless it is false.
            public var screenLocked: Bool?

            public init(
                owner: String, vault: String? = nil, purposes: [Keychain.Purpose], service: String? = nil,
                account: String? = nil, kind: ItemKind? = nil, version: Int64? = nil, fields: [String]? = nil,
                reason: String? = nil, authorizations: [Authorization], alternatives: [[Int64]], lastLock: Int64 = 0,
                enrolment: [String]? = nil, items: [NamedItem]? = nil, lease: LeaseTerms? = nil, leased: Bool? = nil,
                newService: String? = nil, newAccount: String? = nil, passwordKey: String? = nil,
                statement: String? = nil, signer: String? = nil, request: String? = nil, evidence: String? = nil,
                circle: String? = nil, machines: [String]? = nil, screenLocked: Bool? = nil
            ) {
                self.owner = owner
                self.vault = vault
                self.purposes = purposes
                self.service = service
                self.account = account
                self.kind = kind
                self.version = version
                self.fields = fields
                self.reason = reason
                self.authorizations = authorizations
                self.alternatives = alternatives
                self.lastLock = lastLock
                self.enrolment = enrolment
                self.items = items
                self.lease = lease
                self.leased = leased
                self.newService = newService
                self.newAccount = newAccount
                self.passwordKey = passwordKey
                self.statement = statement
                self.signer = signer
                self.request = request
                self.evidence = evidence
                self.circle = circle
                self.machines = machines
                self.screenLocked = screenLocked
            }

            private static let jsonNames = [
                "account", "alternatives", "authorizations", "circle", "enrolment", "evidence", "fields", "items",
                "kind", "lastLock", "lease", "leased", "machines", "newAccount", "newService", "owner",
                "passwordKey", "purposes", "reason", "request", "screenLocked", "service", "signer", "statement",
                "vault", "version",
            ]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var owner: String?
                var vault: String?
                var purposes: [Keychain.Purpose]?
                var service: String?
                var account: String?
                var kind: ItemKind?
                var version: Int64?
                var fields: [String]?
                var reason: String?
                var authorizations: [Authorization]?
                var alternatives: [[Int64]]?
                var lastLock: Int64?
                var enrolment: [String]?
                var items: [NamedItem]?
                var lease: LeaseTerms?
                var leased: Bool?
                var newService: String?
                var newAccount: String?
                var passwordKey: String?
                var statement: String?
                var signer: String?
                var request: String?
                var evidence: String?
                var circle: String?
                var machines: [String]?
                var screenLocked: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: account = try reader.read()
                    case 1: alternatives = try reader.read()
                    case 2: authorizations = try reader.read()
                    case 3: circle = try reader.read()
                    case 4: enrolment = try reader.read()
                    case 5: evidence = try reader.read()
                    case 6: fields = try reader.read()
                    case 7: items = try reader.read()
                    case 8: kind = try reader.read()
                    case 9: lastLock = try reader.read()
                    case 10: lease = try reader.read()
                    case 11: leased = try reader.read()
                    case 12: machines = try reader.read()
                    case 13: newAccount = try reader.read()
                    case 14: newService = try reader.read()
                    case 15: owner = try reader.read()
                    case 16: passwordKey = try reader.read()
                    case 17: purposes = try reader.read()
                    case 18: reason = try reader.read()
                    case 19: request = try reader.read()
                    case 20: screenLocked = try reader.read()
                    case 21: service = try reader.read()
                    case 22: signer = try reader.read()
                    case 23: statement = try reader.read()
                    case 24: vault = try reader.read()
                    default: version = try reader.read()
                    }
                }
                self.init(
                    owner: try members.required(owner, "owner"), vault: vault,
                    purposes: try members.required(purposes, "purposes"), service: service, account: account,
                    kind: kind, version: version, fields: fields, reason: reason,
                    authorizations: try members.required(authorizations, "authorizations"),
                    alternatives: try members.required(alternatives, "alternatives"),
                    lastLock: try members.required(lastLock, "lastLock"), enrolment: enrolment, items: items,
                    lease: lease, leased: leased, newService: newService, newAccount: newAccount,
                    passwordKey: passwordKey, statement: statement, signer: signer, request: request,
                    evidence: evidence, circle: circle, machines: machines, screenLocked: screenLocked
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("account", account)
                writer.member("alternatives", alternatives)
                writer.member("authorizations", authorizations)
                writer.member("circle", circle)
                writer.member("enrolment", enrolment)
                writer.member("evidence", evidence)
                writer.member("fields", fields)
                writer.member("items", items)
                writer.member("kind", kind)
                writer.member("lastLock", lastLock)
                writer.member("lease", lease)
                writer.member("leased", leased)
                writer.member("machines", machines)
                writer.member("newAccount", newAccount)
                writer.member("newService", newService)
                writer.member("owner", owner)
                writer.member("passwordKey", passwordKey)
                writer.member("purposes", purposes)
                writer.member("reason", reason)
                writer.member("request", request)
                writer.member("screenLocked", screenLocked)
                writer.member("service", service)
                writer.member("signer", signer)
                writer.member("statement", statement)
                writer.member("vault", vault)
                writer.member("version", version)
                writer.endObject()
            }
        }
    }

    /// Tells what else the process of a described challenge waits for. It is of the same owner, for the same
    /// purposes, by the same signatures. There are 31 at most, and none but where the purposes are read, or unlock
    /// and read.
    public struct Companions: VarlinkMethod {
        public static let name = "org.coffer.Broker.Companions"
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
            public var companions: [Companion]

            public init(companions: [Companion]) { self.companions = companions }

            private static let jsonNames = ["companions"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var companions: [Companion]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { companions = try reader.read() }
                self.init(companions: try members.required(companions, "companions"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("companions", companions)
                writer.endObject()
            }
        }
    }

    /// Makes a new vault's keys and its file. The vault is not yet in use.
    public struct Provision<Record: JSONValue>: VarlinkMethod {
        public static var name: String { "org.coffer.Broker.Provision" }
        public var challenge: String
        /// The key that the vault is to trust, base64, 65 bytes.
        public var authenticatorKey: String

        public init(challenge: String, authenticatorKey: String) {
            self.challenge = challenge
            self.authenticatorKey = authenticatorKey
        }

        private static var jsonNames: [String] { ["authenticatorKey", "challenge"] }

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var authenticatorKey: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: authenticatorKey = try reader.read()
                default: challenge = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"),
                authenticatorKey: try members.required(authenticatorKey, "authenticatorKey")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("authenticatorKey", authenticatorKey)
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue {
            /// The registry record, as JSON.
            public var record: Record

            public init(record: Record) { self.record = record }

            private static var jsonNames: [String] { ["record"] }

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var record: Record?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { record = try reader.read() }
                self.init(record: try members.required(record, "record"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("record", record)
                writer.endObject()
            }
        }
    }

    /// After Provision, because the registry names the vault now: puts it in its place.
    public struct AdoptVault: VarlinkMethod {
        public static let name = "org.coffer.Broker.AdoptVault"
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
            /// What is to be signed now: unlock.
            public var authorizations: [Authorization]

            public init(authorizations: [Authorization]) { self.authorizations = authorizations }

            private static let jsonNames = ["authorizations"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var authorizations: [Authorization]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { authorizations = try reader.read() }
                self.init(authorizations: try members.required(authorizations, "authorizations"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("authorizations", authorizations)
                writer.endObject()
            }
        }
    }

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

    /// For purpose rotate of a vault that shares its items, after Renew: what is to be signed next for the circle.
    /// CompleteSuccession follows, and then this call again, until there is nothing to sign.
    public struct PrepareSuccession<Record: JSONValue>: VarlinkMethod {
        public static var name: String { "org.coffer.Broker.PrepareSuccession" }
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
            /// The registry record that the successor is to have, as JSON. Both are absent if nothing is left to
            /// sign.
            public var record: Record?
            public var signing: SuccessionSigning?

            public init(record: Record? = nil, signing: SuccessionSigning? = nil) {
                self.record = record
                self.signing = signing
            }

            private static var jsonNames: [String] { ["record", "signing"] }

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var record: Record?
                var signing: SuccessionSigning?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: record = try reader.read()
                    default: signing = try reader.read()
                    }
                }
                self.init(record: record, signing: signing)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("record", record)
                writer.member("signing", signing)
                writer.endObject()
            }
        }
    }

    /// The signature that the last PrepareSuccession was for, base64, 64 bytes.
    public struct CompleteSuccession: VarlinkMethod {
        public static let name = "org.coffer.Broker.CompleteSuccession"
        public typealias Reply = Nothing
        public var challenge: String
        public var signature: String

        public init(challenge: String, signature: String) {
            self.challenge = challenge
            self.signature = signature
        }

        private static let jsonNames = ["challenge", "signature"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var challenge: String?
            var signature: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                default: signature = try reader.read()
                }
            }
            self.init(
                challenge: try members.required(challenge, "challenge"),
                signature: try members.required(signature, "signature")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("signature", signature)
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

extension Fault.Name {
    /// The challenge is unknown, used, too old, or another process's.
    public static let brokerChallengeRefused = Self(rawValue: "org.coffer.Broker.ChallengeRefused")
    /// The TPM could not do it.
    ///
    /// kind: It is one of TPM's in org.coffer.Keychain, or wrong-password.
    ///
    /// code: The TPM's own code, or 0.
    ///
    /// triesLeft: With kind wrong-password: how many more the TPM takes.
    public static let brokerTPM = Self(rawValue: "org.coffer.Broker.TPM")
    /// The store is damaged, or not the one that belongs here.
    ///
    /// kind: It is rollback where the vault's file is an older copy, or where what counts is gone.
    public static let brokerDamaged = Self(rawValue: "org.coffer.Broker.Damaged")
    /// The caller may not do this.
    public static let brokerNotPermitted = Self(rawValue: "org.coffer.Broker.NotPermitted")
    /// The broker could not do it, for another reason.
    ///
    /// kind: As for Failed in org.coffer.Keychain.
    public static let brokerFailed = Self(rawValue: "org.coffer.Broker.Failed")
    /// A parameter cannot be used.
    public static let brokerInvalidArgument = Self(rawValue: "org.coffer.Broker.InvalidArgument")
}
