// Made by scripts/interfaces from Interfaces/org.coffer.Sync.varlink: change that file.
import Item
import JSON
import Varlink

/// Sharing the secrets of the calling user's own vault, or of a service's, with other machines. The broker makes and
/// judges what they say to each other. The caller carries files between the broker and a store, and can neither read
/// nor forge them. Byte strings are base64. The formats are those of docs/sync-format.md, and names of files those of
/// its chapter "The store". Its errors are those of org.coffer.Keychain. Every method takes group and user, and
/// answers for the caller's own vault, or for root and the vault of a service. What decides who shares is refused to
/// the service's own account (NotPermitted).
public enum Sync {
    /// The interface's name.
    public static let interface = "org.coffer.Sync"

    /// The interface file, word for word: what introspection gives out.
    public static let description = #"""
        # Sharing the secrets of the calling user's own vault, or of a service's, with other machines. The broker makes and judges
        # what they say to each other. The caller carries files between the broker and a store, and can neither read nor forge them.
        # Byte strings are base64. The formats are those of docs/sync-format.md, and names of files those of its chapter "The store".
        # Its errors are those of org.coffer.Keychain. Every method takes group and user, and answers for the caller's own vault, or for
        # root and the vault of a service. What decides who shares is refused to the service's own account (NotPermitted).
        interface org.coffer.Sync

        # A machine of the circle.
        type Machine (
          # The device's id, hex.
          device: string,
          # What it calls itself. It is absent if that is not known yet.
          name: ?string,
          # It is reader, writer or admin.
          role: string,
          # tpm or software: where it says that its keys are. It is absent if that is not known yet.
          protection: ?string,
          # This machine.
          own: bool,
          # The time that its newest signed head names. It is absent if none came here yet.
          heard: ?int,
          # Two copies of its vault write at the same time.
          forked: bool,
          # It has said that it has taken in all that this machine gave out. It is absent for this machine, and before it is a member.
          seen: ?bool,
          # It has made the same of the same changes. False is a fault of one of the two. It is absent if one lacks something that
          # the other one has.
          agrees: ?bool,
          # How many of its records are announced by its heads and are not here. They count as waiting. It is absent if none are.
          missing: ?int
        )

        # A machine that was in the circle, and was removed or has left.
        type FormerMachine (
          # The device's id, hex.
          device: string,
          # What it called itself, as far as that is known here.
          name: ?string,
          # tpm or software, as in Machine; or paper, for a code on paper.
          protection: ?string,
          # It has ended its membership itself, by leaving or by renewing its keys. Nobody has removed it, nor the machine that it
          # became by renewing. Absent: no.
          left: ?bool,
          # It is what this machine was before it renewed its keys. Its files in a store are this machine's. Absent: no.
          own: ?bool
        )

        # A code on paper that reads what is shared, also in place of a person. It is no machine.
        type Paper (
          # Its id, hex. It is removed and named as machines are.
          device: string,
          # When it was made, by the clock of the machine that has made it. It is absent if that is not known here yet.
          made: ?int
        )

        # A file of the store.
        type File (
          # Its place in the store.
          path: string,
          content: string
        )

        # An item that is not shared, or not whole. The kind is absent for a generic one.
        type Unshared (service: string, account: string, kind: ?string)

        # How many items are not shared, or not whole, and why.
        type Obstacle (
          # this-device-only, gated (it requires what other machines cannot ask for), to-release (Release makes it readable there),
          # not-released (another machine has to release it), undecided (its requirements were changed on several machines at once,
          # and setting it decides), too-long, name-taken, unreadable, or no-room (the vault is full).
          reason: string,
          items: int,
          # The first of them by service and account, 16 at most. It is absent for this-device-only, and if no name is known.
          named: ?[]Unshared
        )

        # One of several changes of a part that machines have made at the same time.
        type Revision (
          # Its name, hex.
          id: string,
          # The device that made it, hex.
          device: string,
          # What that machine calls itself. It is absent if that is not known here.
          machine: ?string,
          # When that machine made it, by its own clock.
          time: int,
          # All machines show this one.
          shown: bool,
          # The service that the item is named after, the label, the comment or the attribute. It is absent for a value and an expiry.
          text: ?string,
          # The account that the item is named after.
          account: ?string,
          # The time at which the item expires.
          expires: ?int,
          # The value does not open here.
          unreadable: bool,
          # The id of the first one that has the same content. It is absent for that one.
          same: ?string
        )

        # A part of an item that machines have changed at the same time.
        type Conflict (
          # The item's id, as org.coffer.Keychain has it.
          item: string,
          service: string,
          account: string,
          kind: string,
          # It is field, name, label, comment, attribute or expiry.
          part: string,
          # The name of the field or of the attribute.
          name: ?string,
          # The shown one first.
          revisions: []Revision,
          # How many more have lost. They are ordinary former values.
          beyond: int
        )

        # Begins a circle with this machine. The person is asked.
        method Found(
          # What this machine is called: 1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit.
          name: string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # The circle's id, hex.
          circle: string
        )

        # Makes a request to join, or returns the one that waits for an answer. Nobody is asked.
        method Request(
          name: string,
          # True forgets a request that waits, and makes another one.
          renew: ?bool,
          group: ?string,
          user: ?string
        ) -> (
          # What the person types at a machine of the circle: JOIN- and six groups.
          code: string,
          # The request, sealed under the code, for the store.
          request: File,
          # Where the answer will be in the store.
          answer: string,
          # The identity of this machine's TPM, sealed under the code, for the store. It is absent if there is no TPM that can
          # prove where keys are.
          identity: ?File
        )

        # Answers a member's challenge: has the TPM prove that the keys of the request that waits are in it. Nobody is asked.
        method Prove(
          # As it lies in the store, sealed under the code, base64.
          challenge: string,
          group: ?string,
          user: ?string
        ) -> (
          # For the store.
          evidence: File
        )

        # Tells by what others can know this machine's TPM, for the list of a machine that adds others.
        method Identity(
          group: ?string,
          user: ?string
        ) -> (
          # The Name of the endorsement key (P-256, template L-2 of TCG's EK Credential Profile), 34 bytes, hex.
          name: string
        )

        # Adds the machine whose code the person has typed. The person is asked. For a service's vault, root is.
        # The authenticator compares the code, which it gets with Begin of org.coffer.Authentication, with the request.
        method Add(
          code: string,
          # The request as it lies in the store. It is left out to learn where it lies.
          request: ?string,
          # The evidence as it lies in the store, for a machine that has proved where its keys are.
          # The authenticator made the challenge (Challenge of org.coffer.Authentication), and judges the evidence.
          evidence: ?string,
          # reader, writer or admin: what the machine may do. Without it, a machine of a service is a reader, another one without a
          # TPM a writer, and others admins.
          role: ?string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # Where the request lies in the store.
          path: string,
          # The answer, sealed under the code, for the store. It is absent if no request came with the call.
          answer: ?File,
          # The machine that was added. It is absent if no request came with the call.
          name: ?string,
          # Five words, which both machines show.
          words: []string
        )

        # Adds a code on paper. The person is asked. The authenticator compares the code, which it gets with Begin of
        # org.coffer.Authentication, with the keys. The broker does not learn the code. If there is one already, the answer is
        # AlreadyExists: it is removed first.
        method AddPaper(
          # The 453 bytes of public keys that come from the code and from the circle.
          keys: string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> ()

        # Enters the circle of an answer. The person is asked, and nothing is given out before.
        method Enter(
          # The answer as it lies in the store.
          answer: string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> (
          circle: string,
          # Five words, which both machines show.
          words: []string,
          machines: []Machine
        )

        # Tells which files of a listing hold something that the vault lacks. They are to be taken in from the last to the first.
        method Look(
          # The heads of the circle that the store has.
          heads: []string,
          # The segments that the store has.
          names: []string,
          group: ?string,
          user: ?string
        ) -> (wanted: []string)

        # What a vault has of another machine's files.
        type Held (
          # The machine's id, hex.
          device: string,
          # How many segments.
          segments: int,
          # How many bytes these have together. A store whose files have another length has damaged ones (PutBack).
          bytes: ?int
        )

        # Takes in what other machines gave out. What no member has signed is left out. The vault must be unlocked.
        method Take(heads: []string, segments: []string, group: ?string, user: ?string) -> (
          # How many items are new here, changed and deleted.
          added: int,
          updated: int,
          deleted: int,
          # How many records wait for others.
          waiting: int,
          obstacles: []Obstacle,
          # As in State.
          conflicts: int,
          # What the vault has of other machines. A store that shows less of one has lost it (PutBack).
          held: ?[]Held,
          # Which of the segments are not what their machine has written there, as places in the call's list. The store has damaged
          # them. It is absent if there are none.
          unfit: ?[]int
        )

        # Gives out what was changed here since, and returns files that the store lacks: segments first, the head last. The head
        # also tells the others what this machine has taken in.
        # The vault must be unlocked. Take comes first, because it finds what was changed.
        method Give(
          heads: []string,
          # The segments of this machine that the store has. A damaged one is not named, so that it is given out again.
          names: []string,
          # The lengths of these in bytes, in the same order, -1 for one that is not known. A file of another length than the vault's is
          # given out again. Write that only if the store's has another content. It is absent if none is known.
          sizes: ?[]int,
          group: ?string,
          user: ?string
        ) -> (
          files: []File,
          # There are more. Write these, and call again with their names.
          more: bool,
          # The names of files to remove from the store: other files there have taken their place. It is absent while files are given out.
          ended: ?[]string
        )

        # Returns files of another machine that the store has lost, segments first, the head last, byte for byte as they came.
        # A machine that may only read returns none.
        method PutBack(
          # The machine's id, hex.
          device: string,
          # The segments of it that the store has. A damaged one is not named.
          names: []string,
          # The lengths of these, as in Give. A file of another length than the vault's is returned, too. Write that only if what the
          # store has is no segment.
          sizes: ?[]int,
          # Whether the store has a head of it. Its own machine alone replaces one.
          head: bool,
          group: ?string,
          user: ?string
        ) -> (
          files: []File,
          # There are more. Write these, and call again with their names.
          more: bool
        )

        # A guarded item that other machines cannot read yet.
        type Releasable (
          service: string,
          account: string,
          # It is absent for a generic item.
          kind: ?string,
          # The ids of the machines, hex.
          machines: []string,
          # How many signatures its release takes. One call takes 32 at most.
          signatures: int
        )

        # The items to release, as Releasable names them.
        type Released (service: string, account: string, kind: ?string)

        # Tells which guarded items other machines of the circle cannot read yet, although this one can. Nobody is asked.
        # The vault must be unlocked.
        method Releasables(group: ?string, user: ?string) -> (
          # Sorted by service and account, 1,000 at most.
          items: []Releasable,
          # There are more.
          more: bool
        )

        # Makes guarded items readable on these machines, which each ask their own person. The person is asked here, because the
        # items are opened for it. Machines that can read an item already are left out. Take and Give carry it to them.
        method Release(
          # At least one, each once.
          items: []Released,
          # The ids of the machines, hex.
          devices: []string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> ()

        # Lists what machines have changed at the same time, of the items that are shared here. It has no values: Get of
        # org.coffer.Keychain gives out the value of a revision. The vault must be unlocked, and nobody is asked.
        method Conflicts(
          # Lists those of this item only.
          item: ?string,
          # Goes on where another call has ended.
          after: ?string,
          group: ?string,
          user: ?string
        ) -> (
          conflicts: []Conflict,
          # There may be more. Call again with it.
          next: ?string
        )

        # Ends a conflict: replaces all present revisions of a part by one of them, for all machines. What reading the item takes
        # stays as it is. If the revision is no longer one of several, the answer is Changed, and nothing is changed.
        # The vault must be unlocked, and nobody is asked.
        method Resolve(
          # As Conflicts has it, and so are the part and its name.
          item: string,
          part: string,
          name: ?string,
          # The revision that is shown from then on.
          take: string,
          # Each of the other values becomes a field of its own, named after the field and the machine. If that does not fit, the
          # answer is LimitExceeded.
          both: ?bool,
          group: ?string,
          user: ?string
        ) -> (
          # The fields that the others are in.
          fields: []string
        )

        # An item that another machine could read.
        type Exposure (
          service: string,
          account: string,
          # It is absent for a generic item.
          kind: ?string,
          # The fields whose present values it could read.
          fields: []string,
          # That machine asks its person for each of them.
          asks: bool
        )

        # Tells which items a machine could read: those whose present values were given out to it. So the list of a machine that
        # was removed gets shorter as a person changes these values. What cannot be told is listed. The vault must be unlocked, and
        # nobody is asked. What was changed here and not found by Take yet is not looked at.
        method Exposed(
          # The id of a machine of the circle, or of one that was removed, hex.
          device: string,
          # Goes on where another call has ended.
          after: ?string,
          group: ?string,
          user: ?string
        ) -> (
          items: []Exposure,
          # There may be more. Call again with it.
          next: ?string
        )

        # Removes machines from the circle, or this one. The person is asked. What the members give out afterwards is sealed to
        # keys that the removed machines do not have. Nothing is deleted on a removed machine.
        method Remove(
          # Their ids, hex.
          devices: []string,
          challenge: ?string,
          group: ?string,
          user: ?string
        ) -> ()

        # Forgets the circle, once this machine is no member of it, or never became one. The items stay. Nobody is asked.
        method Forget(group: ?string, user: ?string) -> ()

        # Tells with which machines the vault shares its items. Nobody is asked.
        method State(
          # The id of an item: pending and seen are then about all machines' changes of this item alone. A value that was set here
          # counts as pending before Take has found it, too. If the item is not shared, the answer is InvalidArgument.
          item: ?string,
          group: ?string,
          user: ?string
        ) -> (
          # The circle's id, hex. It is absent if there is none.
          circle: ?string,
          machines: []Machine,
          # Those that are no longer members, this one included if it is none.
          former: []FormerMachine,
          # It is absent if there is none.
          paper: ?Paper,
          # The state digest, hex. Machines that have the same changes have the same one. It is absent without a circle.
          digest: ?string,
          # This machine is a member.
          joined: bool,
          # How many changes wait to be given out.
          pending: int,
          # How many records wait for others.
          waiting: int,
          # This machine's request to join waits for an answer.
          requested: bool,
          # How many parts of items machines have changed at the same time. Of very many, those that were not compared count.
          # It is absent if only an unlocked vault can tell, and if this machine is no member.
          conflicts: ?int
        )

        """#

    /// A machine of the circle.
    public struct Machine: JSONValue, Equatable {
        /// The device's id, hex.
        public var device: String
        /// What it calls itself. It is absent if that is not known yet.
        public var name: String?
        /// It is reader, writer or admin.
        public var role: String
        /// tpm or software: where it says that its keys are. It is absent if that is not known yet.
        public var protection: String?
        /// This machine.
        public var own: Bool
        /// The time that its newest signed head names. It is absent if none came here yet.
        public var heard: Int64?
        /// Two copies of its vault write at the same time.
        public var forked: Bool
        /// It has said that it has taken in all that this machine gave out. It is absent for this machine, and before
        /// it is a member.
        public var seen: Bool?
        /// It has made the same of the same changes. False is a fault of one of the two. It is absent if one lacks
        /// something that the other one has.
        public var agrees: Bool?
        /// How many of its records are announced by its heads and are not here. They count as waiting. It is absent
        /// if none are.
        public var missing: Int64?

        public init(
            device: String, name: String? = nil, role: String, protection: String? = nil, own: Bool = false,
            heard: Int64? = nil, forked: Bool = false, seen: Bool? = nil, agrees: Bool? = nil, missing: Int64? = nil
        ) {
            self.device = device
            self.name = name
            self.role = role
            self.protection = protection
            self.own = own
            self.heard = heard
            self.forked = forked
            self.seen = seen
            self.agrees = agrees
            self.missing = missing
        }

        private static let jsonNames = [
            "agrees", "device", "forked", "heard", "missing", "name", "own", "protection", "role", "seen",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var device: String?
            var name: String?
            var role: String?
            var protection: String?
            var own: Bool?
            var heard: Int64?
            var forked: Bool?
            var seen: Bool?
            var agrees: Bool?
            var missing: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: agrees = try reader.read()
                case 1: device = try reader.read()
                case 2: forked = try reader.read()
                case 3: heard = try reader.read()
                case 4: missing = try reader.read()
                case 5: name = try reader.read()
                case 6: own = try reader.read()
                case 7: protection = try reader.read()
                case 8: role = try reader.read()
                default: seen = try reader.read()
                }
            }
            self.init(
                device: try members.required(device, "device"), name: name, role: try members.required(role, "role"),
                protection: protection, own: try members.required(own, "own"), heard: heard,
                forked: try members.required(forked, "forked"), seen: seen, agrees: agrees, missing: missing
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("agrees", agrees)
            writer.member("device", device)
            writer.member("forked", forked)
            writer.member("heard", heard)
            writer.member("missing", missing)
            writer.member("name", name)
            writer.member("own", own)
            writer.member("protection", protection)
            writer.member("role", role)
            writer.member("seen", seen)
            writer.endObject()
        }
    }

    /// A machine that was in the circle, and was removed or has left.
    public struct FormerMachine: JSONValue, Equatable {
        /// The device's id, hex.
        public var device: String
        /// What it called itself, as far as that is known here.
        public var name: String?
        /// tpm or software, as in Machine; or paper, for a code on paper.
        public var protection: String?
        /// It has ended its membership itself, by leaving or by renewing its keys. Nobody has removed it, nor the
        /// machine that it became by renewing. Absent: no.
        public var left: Bool?
        /// It is what this machine was before it renewed its keys. Its files in a store are this machine's. Absent:
        /// no.
        public var own: Bool?

        public init(
            device: String, name: String? = nil, protection: String? = nil, left: Bool? = nil, own: Bool? = nil
        ) {
            self.device = device
            self.name = name
            self.protection = protection
            self.left = left
            self.own = own
        }

        private static let jsonNames = ["device", "left", "name", "own", "protection"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var device: String?
            var name: String?
            var protection: String?
            var left: Bool?
            var own: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: device = try reader.read()
                case 1: left = try reader.read()
                case 2: name = try reader.read()
                case 3: own = try reader.read()
                default: protection = try reader.read()
                }
            }
            self.init(
                device: try members.required(device, "device"), name: name, protection: protection, left: left, own: own
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("device", device)
            writer.member("left", left)
            writer.member("name", name)
            writer.member("own", own)
            writer.member("protection", protection)
            writer.endObject()
        }
    }

    /// A code on paper that reads what is shared, also in place of a person. It is no machine.
    public struct Paper: JSONValue, Equatable {
        /// Its id, hex. It is removed and named as machines are.
        public var device: String
        /// When it was made, by the clock of the machine that has made it. It is absent if that is not known here
        /// yet.
        public var made: Int64?

        public init(device: String, made: Int64? = nil) {
            self.device = device
            self.made = made
        }

        private static let jsonNames = ["device", "made"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var device: String?
            var made: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: device = try reader.read()
                default: made = try reader.read()
                }
            }
            self.init(device: try members.required(device, "device"), made: made)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("device", device)
            writer.member("made", made)
            writer.endObject()
        }
    }

    /// A file of the store.
    public struct File: JSONValue, Equatable {
        /// Its place in the store.
        public var path: String
        public var content: String

        public init(path: String, content: String) {
            self.path = path
            self.content = content
        }

        private static let jsonNames = ["content", "path"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var path: String?
            var content: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: content = try reader.read()
                default: path = try reader.read()
                }
            }
            self.init(path: try members.required(path, "path"), content: try members.required(content, "content"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("content", content)
            writer.member("path", path)
            writer.endObject()
        }
    }

    /// An item that is not shared, or not whole. The kind is absent for a generic one.
    public struct Unshared: JSONValue, Equatable {
        public var service: String
        public var account: String
        public var kind: String?

        public init(service: String, account: String, kind: String? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        private static let jsonNames = ["account", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// How many items are not shared, or not whole, and why.
    public struct Obstacle: JSONValue, Equatable {
        /// this-device-only, gated (it requires what other machines cannot ask for), to-release (Release makes it
        /// readable there), not-released (another machine has to release it), undecided (its requirements were
        /// changed on several machines at once, and setting it decides), too-long, name-taken, unreadable, or no-room
        /// (the vault is full).
        public var reason: String
        public var items: Int64
        /// The first of them by service and account, 16 at most. It is absent for this-device-only, and if no name is
        /// known.
        public var named: [Unshared]?

        public init(reason: String, items: Int64, named: [Unshared]? = nil) {
            self.reason = reason
            self.items = items
            self.named = named
        }

        private static let jsonNames = ["items", "named", "reason"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var reason: String?
            var items: Int64?
            var named: [Unshared]?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: items = try reader.read()
                case 1: named = try reader.read()
                default: reason = try reader.read()
                }
            }
            self.init(
                reason: try members.required(reason, "reason"), items: try members.required(items, "items"),
                named: named
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("items", items)
            writer.member("named", named)
            writer.member("reason", reason)
            writer.endObject()
        }
    }

    /// One of several changes of a part that machines have made at the same time.
    public struct Revision: JSONValue, Equatable {
        /// Its name, hex.
        public var id: String
        /// The device that made it, hex.
        public var device: String
        /// What that machine calls itself. It is absent if that is not known here.
        public var machine: String?
        /// When that machine made it, by its own clock.
        public var time: Int64
        /// All machines show this one.
        public var shown: Bool
        /// The service that the item is named after, the label, the comment or the attribute. It is absent for a
        /// value and an expiry.
        public var text: String?
        /// The account that the item is named after.
        public var account: String?
        /// The time at which the item expires.
        public var expires: Int64?
        /// The value does not open here.
        public var unreadable: Bool
        /// The id of the first one that has the same content. It is absent for that one.
        public var same: String?

        public init(
            id: String, device: String, machine: String? = nil, time: Int64, shown: Bool = false, text: String? = nil,
            account: String? = nil, expires: Int64? = nil, unreadable: Bool = false, same: String? = nil
        ) {
            self.id = id
            self.device = device
            self.machine = machine
            self.time = time
            self.shown = shown
            self.text = text
            self.account = account
            self.expires = expires
            self.unreadable = unreadable
            self.same = same
        }

        private static let jsonNames = [
            "account", "device", "expires", "id", "machine", "same", "shown", "text", "time", "unreadable",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var id: String?
            var device: String?
            var machine: String?
            var time: Int64?
            var shown: Bool?
            var text: String?
            var account: String?
            var expires: Int64?
            var unreadable: Bool?
            var same: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: device = try reader.read()
                case 2: expires = try reader.read()
                case 3: id = try reader.read()
                case 4: machine = try reader.read()
                case 5: same = try reader.read()
                case 6: shown = try reader.read()
                case 7: text = try reader.read()
                case 8: time = try reader.read()
                default: unreadable = try reader.read()
                }
            }
            self.init(
                id: try members.required(id, "id"), device: try members.required(device, "device"), machine: machine,
                time: try members.required(time, "time"), shown: try members.required(shown, "shown"), text: text,
                account: account, expires: expires, unreadable: try members.required(unreadable, "unreadable"),
                same: same
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("device", device)
            writer.member("expires", expires)
            writer.member("id", id)
            writer.member("machine", machine)
            writer.member("same", same)
            writer.member("shown", shown)
            writer.member("text", text)
            writer.member("time", time)
            writer.member("unreadable", unreadable)
            writer.endObject()
        }
    }

    /// A part of an item that machines have changed at the same time.
    public struct Conflict: JSONValue, Equatable {
        /// The item's id, as org.coffer.Keychain has it.
        public var item: String
        public var service: String
        public var account: String
        public var kind: ItemKind
        /// It is field, name, label, comment, attribute or expiry.
        public var part: String
        /// The name of the field or of the attribute.
        public var name: String?
        /// The shown one first.
        public var revisions: [Revision]
        /// How many more have lost. They are ordinary former values.
        public var beyond: Int64

        public init(
            item: String, service: String, account: String, kind: ItemKind, part: String, name: String? = nil,
            revisions: [Revision], beyond: Int64 = 0
        ) {
            self.item = item
            self.service = service
            self.account = account
            self.kind = kind
            self.part = part
            self.name = name
            self.revisions = revisions
            self.beyond = beyond
        }

        private static let jsonNames = [
            "account", "beyond", "item", "kind", "name", "part", "revisions", "service",
        ]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: String?
            var service: String?
            var account: String?
            var kind: ItemKind?
            var part: String?
            var name: String?
            var revisions: [Revision]?
            var beyond: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: beyond = try reader.read()
                case 2: item = try reader.read()
                case 3: kind = try reader.read()
                case 4: name = try reader.read()
                case 5: part = try reader.read()
                case 6: revisions = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(
                item: try members.required(item, "item"), service: try members.required(service, "service"),
                account: try members.required(account, "account"), kind: try members.required(kind, "kind"),
                part: try members.required(part, "part"), name: name,
                revisions: try members.required(revisions, "revisions"), beyond: try members.required(beyond, "beyond")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("beyond", beyond)
            writer.member("item", item)
            writer.member("kind", kind)
            writer.member("name", name)
            writer.member("part", part)
            writer.member("revisions", revisions)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// What a vault has of another machine's files.
    public struct Held: JSONValue, Equatable {
        /// The machine's id, hex.
        public var device: String
        /// How many segments.
        public var segments: Int64
        /// How many bytes these have together. A store whose files have another length has damaged ones (PutBack).
        public var bytes: Int64?

        public init(device: String, segments: Int64, bytes: Int64? = nil) {
            self.device = device
            self.segments = segments
            self.bytes = bytes
        }

        private static let jsonNames = ["bytes", "device", "segments"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var device: String?
            var segments: Int64?
            var bytes: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: bytes = try reader.read()
                case 1: device = try reader.read()
                default: segments = try reader.read()
                }
            }
            self.init(
                device: try members.required(device, "device"), segments: try members.required(segments, "segments"),
                bytes: bytes
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("bytes", bytes)
            writer.member("device", device)
            writer.member("segments", segments)
            writer.endObject()
        }
    }

    /// A guarded item that other machines cannot read yet.
    public struct Releasable: JSONValue, Equatable {
        public var service: String
        public var account: String
        /// It is absent for a generic item.
        public var kind: String?
        /// The ids of the machines, hex.
        public var machines: [String]
        /// How many signatures its release takes. One call takes 32 at most.
        public var signatures: Int64

        public init(service: String, account: String, kind: String? = nil, machines: [String], signatures: Int64) {
            self.service = service
            self.account = account
            self.kind = kind
            self.machines = machines
            self.signatures = signatures
        }

        private static let jsonNames = ["account", "kind", "machines", "service", "signatures"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: String?
            var machines: [String]?
            var signatures: Int64?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                case 2: machines = try reader.read()
                case 3: service = try reader.read()
                default: signatures = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, machines: try members.required(machines, "machines"),
                signatures: try members.required(signatures, "signatures")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("machines", machines)
            writer.member("service", service)
            writer.member("signatures", signatures)
            writer.endObject()
        }
    }

    /// The items to release, as Releasable names them.
    public struct Released: JSONValue, Equatable {
        public var service: String
        public var account: String
        public var kind: String?

        public init(service: String, account: String, kind: String? = nil) {
            self.service = service
            self.account = account
            self.kind = kind
        }

        private static let jsonNames = ["account", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// An item that another machine could read.
    public struct Exposure: JSONValue, Equatable {
        public var service: String
        public var account: String
        /// It is absent for a generic item.
        public var kind: String?
        /// The fields whose present values it could read.
        public var fields: [String]
        /// That machine asks its person for each of them.
        public var asks: Bool

        public init(service: String, account: String, kind: String? = nil, fields: [String], asks: Bool) {
            self.service = service
            self.account = account
            self.kind = kind
            self.fields = fields
            self.asks = asks
        }

        private static let jsonNames = ["account", "asks", "fields", "kind", "service"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var service: String?
            var account: String?
            var kind: String?
            var fields: [String]?
            var asks: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: account = try reader.read()
                case 1: asks = try reader.read()
                case 2: fields = try reader.read()
                case 3: kind = try reader.read()
                default: service = try reader.read()
                }
            }
            self.init(
                service: try members.required(service, "service"), account: try members.required(account, "account"),
                kind: kind, fields: try members.required(fields, "fields"), asks: try members.required(asks, "asks")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("account", account)
            writer.member("asks", asks)
            writer.member("fields", fields)
            writer.member("kind", kind)
            writer.member("service", service)
            writer.endObject()
        }
    }

    /// Begins a circle with this machine. The person is asked.
    public struct Found: VarlinkMethod {
        public static let name = "org.coffer.Sync.Found"
        /// What this machine is called: 1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit.
        public var name: String
        public var challenge: String?

        public init(name: String, challenge: String? = nil) {
            self.name = name
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "name"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var name: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                default: name = try reader.read()
                }
            }
            self.init(name: try members.required(name, "name"), challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("name", name)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// The circle's id, hex.
            public var circle: String

            public init(circle: String) { self.circle = circle }

            private static let jsonNames = ["circle"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var circle: String?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { circle = try reader.read() }
                self.init(circle: try members.required(circle, "circle"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("circle", circle)
                writer.endObject()
            }
        }
    }

    /// Makes a request to join, or returns the one that waits for an answer. Nobody is asked.
    public struct Request: VarlinkMethod {
        public static let name = "org.coffer.Sync.Request"
        public var name: String
        /// True forgets a request that waits, and makes another one.
        public var renew: Bool?

        public init(name: String, renew: Bool? = nil) {
            self.name = name
            self.renew = renew
        }

        private static let jsonNames = ["name", "renew"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var name: String?
            var renew: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: name = try reader.read()
                default: renew = try reader.read()
                }
            }
            self.init(name: try members.required(name, "name"), renew: renew)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("name", name)
            writer.member("renew", renew)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// What the person types at a machine of the circle: JOIN- and six groups.
            public var code: String
            /// The request, sealed under the code, for the store.
            public var request: File
            /// Where the answer will be in the store.
            public var answer: String
            /// The identity of this machine's TPM, sealed under the code, for the store. It is absent if there is no
            /// TPM that can prove where keys are.
            public var identity: File?

            public init(code: String, request: File, answer: String, identity: File? = nil) {
                self.code = code
                self.request = request
                self.answer = answer
                self.identity = identity
            }

            private static let jsonNames = ["answer", "code", "identity", "request"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var code: String?
                var request: File?
                var answer: String?
                var identity: File?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: answer = try reader.read()
                    case 1: code = try reader.read()
                    case 2: identity = try reader.read()
                    default: request = try reader.read()
                    }
                }
                self.init(
                    code: try members.required(code, "code"), request: try members.required(request, "request"),
                    answer: try members.required(answer, "answer"), identity: identity
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("answer", answer)
                writer.member("code", code)
                writer.member("identity", identity)
                writer.member("request", request)
                writer.endObject()
            }
        }
    }

    /// Answers a member's challenge: has the TPM prove that the keys of the request that waits are in it. Nobody is
    /// asked.
    public struct Prove: VarlinkMethod {
        public static let name = "org.coffer.Sync.Prove"
        /// As it lies in the store, sealed under the code, base64.
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
            /// For the store.
            public var evidence: File

            public init(evidence: File) { self.evidence = evidence }

            private static let jsonNames = ["evidence"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var evidence: File?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { evidence = try reader.read() }
                self.init(evidence: try members.required(evidence, "evidence"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("evidence", evidence)
                writer.endObject()
            }
        }
    }

    /// Tells by what others can know this machine's TPM, for the list of a machine that adds others.
    public struct Identity: VarlinkMethod {
        public static let name = "org.coffer.Sync.Identity"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            /// The Name of the endorsement key (P-256, template L-2 of TCG's EK Credential Profile), 34 bytes, hex.
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

    /// Adds the machine whose code the person has typed. The person is asked. For a service's vault, root is. The
    /// authenticator compares the code, which it gets with Begin of org.coffer.Authentication, with the request.
    public struct Add: VarlinkMethod {
        public static let name = "org.coffer.Sync.Add"
        public var code: String
        /// The request as it lies in the store. It is left out to learn where it lies.
        public var request: String?
        /// The evidence as it lies in the store, for a machine that has proved where its keys are. The authenticator
        /// made the challenge (Challenge of org.coffer.Authentication), and judges the evidence.
        public var evidence: String?
        /// reader, writer or admin: what the machine may do. Without it, a machine of a service is a reader, another
        /// one without a TPM a writer, and others admins.
        public var role: String?
        public var challenge: String?

        public init(
            code: String, request: String? = nil, evidence: String? = nil, role: String? = nil, challenge: String? = nil
        ) {
            self.code = code
            self.request = request
            self.evidence = evidence
            self.role = role
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "code", "evidence", "request", "role"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var code: String?
            var request: String?
            var evidence: String?
            var role: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: code = try reader.read()
                case 2: evidence = try reader.read()
                case 3: request = try reader.read()
                default: role = try reader.read()
                }
            }
            self.init(
                code: try members.required(code, "code"), request: request, evidence: evidence, role: role,
                challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("code", code)
            writer.member("evidence", evidence)
            writer.member("request", request)
            writer.member("role", role)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// Where the request lies in the store.
            public var path: String
            /// The answer, sealed under the code, for the store. It is absent if no request came with the call.
            public var answer: File?
            /// The machine that was added. It is absent if no request came with the call.
            public var name: String?
            /// Five words, which both machines show.
            public var words: [String]

            public init(path: String, answer: File? = nil, name: String? = nil, words: [String] = []) {
                self.path = path
                self.answer = answer
                self.name = name
                self.words = words
            }

            private static let jsonNames = ["answer", "name", "path", "words"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var path: String?
                var answer: File?
                var name: String?
                var words: [String]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: answer = try reader.read()
                    case 1: name = try reader.read()
                    case 2: path = try reader.read()
                    default: words = try reader.read()
                    }
                }
                self.init(
                    path: try members.required(path, "path"), answer: answer, name: name,
                    words: try members.required(words, "words")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("answer", answer)
                writer.member("name", name)
                writer.member("path", path)
                writer.member("words", words)
                writer.endObject()
            }
        }
    }

    /// Adds a code on paper. The person is asked. The authenticator compares the code, which it gets with Begin of
    /// org.coffer.Authentication, with the keys. The broker does not learn the code. If there is one already, the
    /// answer is AlreadyExists: it is removed first.
    public struct AddPaper: VarlinkMethod {
        public static let name = "org.coffer.Sync.AddPaper"
        public typealias Reply = Nothing
        /// The 453 bytes of public keys that come from the code and from the circle.
        public var keys: String
        public var challenge: String?

        public init(keys: String, challenge: String? = nil) {
            self.keys = keys
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "keys"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var keys: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                default: keys = try reader.read()
                }
            }
            self.init(keys: try members.required(keys, "keys"), challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("keys", keys)
            writer.endObject()
        }
    }

    /// Enters the circle of an answer. The person is asked, and nothing is given out before.
    public struct Enter: VarlinkMethod {
        public static let name = "org.coffer.Sync.Enter"
        /// The answer as it lies in the store.
        public var answer: String
        public var challenge: String?

        public init(answer: String, challenge: String? = nil) {
            self.answer = answer
            self.challenge = challenge
        }

        private static let jsonNames = ["answer", "challenge"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var answer: String?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: answer = try reader.read()
                default: challenge = try reader.read()
                }
            }
            self.init(answer: try members.required(answer, "answer"), challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("answer", answer)
            writer.member("challenge", challenge)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var circle: String
            /// Five words, which both machines show.
            public var words: [String]
            public var machines: [Machine]

            public init(circle: String, words: [String], machines: [Machine]) {
                self.circle = circle
                self.words = words
                self.machines = machines
            }

            private static let jsonNames = ["circle", "machines", "words"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var circle: String?
                var words: [String]?
                var machines: [Machine]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: circle = try reader.read()
                    case 1: machines = try reader.read()
                    default: words = try reader.read()
                    }
                }
                self.init(
                    circle: try members.required(circle, "circle"), words: try members.required(words, "words"),
                    machines: try members.required(machines, "machines")
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("circle", circle)
                writer.member("machines", machines)
                writer.member("words", words)
                writer.endObject()
            }
        }
    }

    /// Tells which files of a listing hold something that the vault lacks. They are to be taken in from the last to
    /// the first.
    public struct Look: VarlinkMethod {
        public static let name = "org.coffer.Sync.Look"
        /// The heads of the circle that the store has.
        public var heads: [String]
        /// The segments that the store has.
        public var names: [String]

        public init(heads: [String], names: [String]) {
            self.heads = heads
            self.names = names
        }

        private static let jsonNames = ["heads", "names"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var heads: [String]?
            var names: [String]?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: heads = try reader.read()
                default: names = try reader.read()
                }
            }
            self.init(heads: try members.required(heads, "heads"), names: try members.required(names, "names"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("heads", heads)
            writer.member("names", names)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var wanted: [String]

            public init(wanted: [String]) { self.wanted = wanted }

            private static let jsonNames = ["wanted"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var wanted: [String]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { wanted = try reader.read() }
                self.init(wanted: try members.required(wanted, "wanted"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("wanted", wanted)
                writer.endObject()
            }
        }
    }

    /// Takes in what other machines gave out. What no member has signed is left out. The vault must be unlocked.
    public struct Take: VarlinkMethod {
        public static let name = "org.coffer.Sync.Take"
        public var heads: [String]
        public var segments: [String]

        public init(heads: [String], segments: [String]) {
            self.heads = heads
            self.segments = segments
        }

        private static let jsonNames = ["heads", "segments"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var heads: [String]?
            var segments: [String]?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: heads = try reader.read()
                default: segments = try reader.read()
                }
            }
            self.init(heads: try members.required(heads, "heads"), segments: try members.required(segments, "segments"))
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("heads", heads)
            writer.member("segments", segments)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// How many items are new here, changed and deleted.
            public var added: Int64
            public var updated: Int64
            public var deleted: Int64
            /// How many records wait for others.
            public var waiting: Int64
            public var obstacles: [Obstacle]
            /// As in State.
            public var conflicts: Int64
            /// What the vault has of other machines. A store that shows less of one has lost it (PutBack).
            public var held: [Held]?
            /// Which of the segments are not what their machine has written there, as places in the call's list. The
            /// store has damaged them. It is absent if there are none.
            public var unfit: [Int64]?

            public init(
                added: Int64, updated: Int64, deleted: Int64, waiting: Int64, obstacles: [Obstacle],
                conflicts: Int64 = 0, held: [Held]? = nil, unfit: [Int64]? = nil
            ) {
                self.added = added
                self.updated = updated
                self.deleted = deleted
                self.waiting = waiting
                self.obstacles = obstacles
                self.conflicts = conflicts
                self.held = held
                self.unfit = unfit
            }

            private static let jsonNames = [
                "added", "conflicts", "deleted", "held", "obstacles", "unfit", "updated", "waiting",
            ]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var added: Int64?
                var updated: Int64?
                var deleted: Int64?
                var waiting: Int64?
                var obstacles: [Obstacle]?
                var conflicts: Int64?
                var held: [Held]?
                var unfit: [Int64]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: added = try reader.read()
                    case 1: conflicts = try reader.read()
                    case 2: deleted = try reader.read()
                    case 3: held = try reader.read()
                    case 4: obstacles = try reader.read()
                    case 5: unfit = try reader.read()
                    case 6: updated = try reader.read()
                    default: waiting = try reader.read()
                    }
                }
                self.init(
                    added: try members.required(added, "added"), updated: try members.required(updated, "updated"),
                    deleted: try members.required(deleted, "deleted"),
                    waiting: try members.required(waiting, "waiting"),
                    obstacles: try members.required(obstacles, "obstacles"),
                    conflicts: try members.required(conflicts, "conflicts"), held: held, unfit: unfit
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("added", added)
                writer.member("conflicts", conflicts)
                writer.member("deleted", deleted)
                writer.member("held", held)
                writer.member("obstacles", obstacles)
                writer.member("unfit", unfit)
                writer.member("updated", updated)
                writer.member("waiting", waiting)
                writer.endObject()
            }
        }
    }

    /// Gives out what was changed here since, and returns files that the store lacks: segments first, the head last.
    /// The head also tells the others what this machine has taken in. The vault must be unlocked. Take comes first,
    /// because it finds what was changed.
    public struct Give: VarlinkMethod {
        public static let name = "org.coffer.Sync.Give"
        public var heads: [String]
        /// The segments of this machine that the store has. A damaged one is not named, so that it is given out
        /// again.
        public var names: [String]
        /// The lengths of these in bytes, in the same order, -1 for one that is not known. A file of another length
        /// than the vault's is given out again. Write that only if the store's has another content. It is absent if
        /// none is known.
        public var sizes: [Int64]?

        public init(heads: [String], names: [String], sizes: [Int64]? = nil) {
            self.heads = heads
            self.names = names
            self.sizes = sizes
        }

        private static let jsonNames = ["heads", "names", "sizes"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var heads: [String]?
            var names: [String]?
            var sizes: [Int64]?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: heads = try reader.read()
                case 1: names = try reader.read()
                default: sizes = try reader.read()
                }
            }
            self.init(
                heads: try members.required(heads, "heads"), names: try members.required(names, "names"), sizes: sizes
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("heads", heads)
            writer.member("names", names)
            writer.member("sizes", sizes)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var files: [File]
            /// There are more. Write these, and call again with their names.
            public var more: Bool
            /// The names of files to remove from the store: other files there have taken their place. It is absent
            /// while files are given out.
            public var ended: [String]?

            public init(files: [File], more: Bool, ended: [String]? = nil) {
                self.files = files
                self.more = more
                self.ended = ended
            }

            private static let jsonNames = ["ended", "files", "more"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var files: [File]?
                var more: Bool?
                var ended: [String]?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: ended = try reader.read()
                    case 1: files = try reader.read()
                    default: more = try reader.read()
                    }
                }
                self.init(
                    files: try members.required(files, "files"), more: try members.required(more, "more"), ended: ended
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("ended", ended)
                writer.member("files", files)
                writer.member("more", more)
                writer.endObject()
            }
        }
    }

    /// Returns files of another machine that the store has lost, segments first, the head last, byte for byte as they
    /// came. A machine that may only read returns none.
    public struct PutBack: VarlinkMethod {
        public static let name = "org.coffer.Sync.PutBack"
        /// The machine's id, hex.
        public var device: String
        /// The segments of it that the store has. A damaged one is not named.
        public var names: [String]
        /// The lengths of these, as in Give. A file of another length than the vault's is returned, too. Write that
        /// only if what the store has is no segment.
        public var sizes: [Int64]?
        /// Whether the store has a head of it. Its own machine alone replaces one.
        public var head: Bool

        public init(device: String, names: [String], sizes: [Int64]? = nil, head: Bool) {
            self.device = device
            self.names = names
            self.sizes = sizes
            self.head = head
        }

        private static let jsonNames = ["device", "head", "names", "sizes"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var device: String?
            var names: [String]?
            var sizes: [Int64]?
            var head: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: device = try reader.read()
                case 1: head = try reader.read()
                case 2: names = try reader.read()
                default: sizes = try reader.read()
                }
            }
            self.init(
                device: try members.required(device, "device"), names: try members.required(names, "names"),
                sizes: sizes, head: try members.required(head, "head")
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("device", device)
            writer.member("head", head)
            writer.member("names", names)
            writer.member("sizes", sizes)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var files: [File]
            /// There are more. Write these, and call again with their names.
            public var more: Bool

            public init(files: [File], more: Bool) {
                self.files = files
                self.more = more
            }

            private static let jsonNames = ["files", "more"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var files: [File]?
                var more: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: files = try reader.read()
                    default: more = try reader.read()
                    }
                }
                self.init(files: try members.required(files, "files"), more: try members.required(more, "more"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("files", files)
                writer.member("more", more)
                writer.endObject()
            }
        }
    }

    /// Tells which guarded items other machines of the circle cannot read yet, although this one can. Nobody is
    /// asked. The vault must be unlocked.
    public struct Releasables: VarlinkMethod {
        public static let name = "org.coffer.Sync.Releasables"

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }

        public struct Reply: JSONValue, Equatable {
            /// Sorted by service and account, 1,000 at most.
            public var items: [Releasable]
            /// There are more.
            public var more: Bool

            public init(items: [Releasable], more: Bool) {
                self.items = items
                self.more = more
            }

            private static let jsonNames = ["items", "more"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var items: [Releasable]?
                var more: Bool?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: items = try reader.read()
                    default: more = try reader.read()
                    }
                }
                self.init(items: try members.required(items, "items"), more: try members.required(more, "more"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("items", items)
                writer.member("more", more)
                writer.endObject()
            }
        }
    }

    /// Makes guarded items readable on these machines, which each ask their own person. The person is asked here,
    /// because the items are opened for it. Machines that can read an item already are left out. Take and Give carry
    /// it to them.
    public struct Release: VarlinkMethod {
        public static let name = "org.coffer.Sync.Release"
        public typealias Reply = Nothing
        /// At least one, each once.
        public var items: [Released]
        /// The ids of the machines, hex.
        public var devices: [String]
        public var challenge: String?

        public init(items: [Released], devices: [String], challenge: String? = nil) {
            self.items = items
            self.devices = devices
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "devices", "items"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var items: [Released]?
            var devices: [String]?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                case 1: devices = try reader.read()
                default: items = try reader.read()
                }
            }
            self.init(
                items: try members.required(items, "items"), devices: try members.required(devices, "devices"),
                challenge: challenge
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("devices", devices)
            writer.member("items", items)
            writer.endObject()
        }
    }

    /// Lists what machines have changed at the same time, of the items that are shared here. It has no values: Get of
    /// org.coffer.Keychain gives out the value of a revision. The vault must be unlocked, and nobody is asked.
    public struct Conflicts: VarlinkMethod {
        public static let name = "org.coffer.Sync.Conflicts"
        /// Lists those of this item only.
        public var item: String?
        /// Goes on where another call has ended.
        public var after: String?

        public init(item: String? = nil, after: String? = nil) {
            self.item = item
            self.after = after
        }

        private static let jsonNames = ["after", "item"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: String?
            var after: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: after = try reader.read()
                default: item = try reader.read()
                }
            }
            self.init(item: item, after: after)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("after", after)
            writer.member("item", item)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var conflicts: [Conflict]
            /// There may be more. Call again with it.
            public var next: String?

            public init(conflicts: [Conflict], next: String? = nil) {
                self.conflicts = conflicts
                self.next = next
            }

            private static let jsonNames = ["conflicts", "next"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var conflicts: [Conflict]?
                var next: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: conflicts = try reader.read()
                    default: next = try reader.read()
                    }
                }
                self.init(conflicts: try members.required(conflicts, "conflicts"), next: next)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("conflicts", conflicts)
                writer.member("next", next)
                writer.endObject()
            }
        }
    }

    /// Ends a conflict: replaces all present revisions of a part by one of them, for all machines. What reading the
    /// item takes stays as it is. If the revision is no longer one of several, the answer is Changed, and nothing is
    /// changed. The vault must be unlocked, and nobody is asked.
    public struct Resolve: VarlinkMethod {
        public static let name = "org.coffer.Sync.Resolve"
        /// As Conflicts has it, and so are the part and its name.
        public var item: String
        public var part: String
        public var name: String?
        /// The revision that is shown from then on.
        public var take: String
        /// Each of the other values becomes a field of its own, named after the field and the machine. If that does
        /// not fit, the answer is LimitExceeded.
        public var both: Bool?

        public init(item: String, part: String, name: String? = nil, take: String, both: Bool? = nil) {
            self.item = item
            self.part = part
            self.name = name
            self.take = take
            self.both = both
        }

        private static let jsonNames = ["both", "item", "name", "part", "take"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: String?
            var part: String?
            var name: String?
            var take: String?
            var both: Bool?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: both = try reader.read()
                case 1: item = try reader.read()
                case 2: name = try reader.read()
                case 3: part = try reader.read()
                default: take = try reader.read()
                }
            }
            self.init(
                item: try members.required(item, "item"), part: try members.required(part, "part"), name: name,
                take: try members.required(take, "take"), both: both
            )
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("both", both)
            writer.member("item", item)
            writer.member("name", name)
            writer.member("part", part)
            writer.member("take", take)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// The fields that the others are in.
            public var fields: [String]

            public init(fields: [String] = []) { self.fields = fields }

            private static let jsonNames = ["fields"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var fields: [String]?
                var members = try reader.members()
                while try reader.next(&members, of: Self.jsonNames) != nil { fields = try reader.read() }
                self.init(fields: try members.required(fields, "fields"))
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("fields", fields)
                writer.endObject()
            }
        }
    }

    /// Tells which items a machine could read: those whose present values were given out to it. So the list of a
    /// machine that was removed gets shorter as a person changes these values. What cannot be told is listed. The
    /// vault must be unlocked, and nobody is asked. What was changed here and not found by Take yet is not looked at.
    public struct Exposed: VarlinkMethod {
        public static let name = "org.coffer.Sync.Exposed"
        /// The id of a machine of the circle, or of one that was removed, hex.
        public var device: String
        /// Goes on where another call has ended.
        public var after: String?

        public init(device: String, after: String? = nil) {
            self.device = device
            self.after = after
        }

        private static let jsonNames = ["after", "device"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var device: String?
            var after: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: after = try reader.read()
                default: device = try reader.read()
                }
            }
            self.init(device: try members.required(device, "device"), after: after)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("after", after)
            writer.member("device", device)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            public var items: [Exposure]
            /// There may be more. Call again with it.
            public var next: String?

            public init(items: [Exposure], next: String? = nil) {
                self.items = items
                self.next = next
            }

            private static let jsonNames = ["items", "next"]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var items: [Exposure]?
                var next: String?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: items = try reader.read()
                    default: next = try reader.read()
                    }
                }
                self.init(items: try members.required(items, "items"), next: next)
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("items", items)
                writer.member("next", next)
                writer.endObject()
            }
        }
    }

    /// Removes machines from the circle, or this one. The person is asked. What the members give out afterwards is
    /// sealed to keys that the removed machines do not have. Nothing is deleted on a removed machine.
    public struct Remove: VarlinkMethod {
        public static let name = "org.coffer.Sync.Remove"
        public typealias Reply = Nothing
        /// Their ids, hex.
        public var devices: [String]
        public var challenge: String?

        public init(devices: [String], challenge: String? = nil) {
            self.devices = devices
            self.challenge = challenge
        }

        private static let jsonNames = ["challenge", "devices"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var devices: [String]?
            var challenge: String?
            var members = try reader.members()
            while let member = try reader.next(&members, of: Self.jsonNames) {
                switch member {
                case 0: challenge = try reader.read()
                default: devices = try reader.read()
                }
            }
            self.init(devices: try members.required(devices, "devices"), challenge: challenge)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("challenge", challenge)
            writer.member("devices", devices)
            writer.endObject()
        }
    }

    /// Forgets the circle, once this machine is no member of it, or never became one. The items stay. Nobody is
    /// asked.
    public struct Forget: VarlinkMethod {
        public static let name = "org.coffer.Sync.Forget"
        public typealias Reply = Nothing

        public init() {}

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            try reader.emptyObject()
            self.init()
        }

        public func write(to writer: inout JSONWriter) { writer.emptyObject() }
    }

    /// Tells with which machines the vault shares its items. Nobody is asked.
    public struct State: VarlinkMethod {
        public static let name = "org.coffer.Sync.State"
        /// The id of an item: pending and seen are then about all machines' changes of this item alone. A value that
        /// was set here counts as pending before Take has found it, too. If the item is not shared, the answer is
        /// InvalidArgument.
        public var item: String?

        public init(item: String? = nil) { self.item = item }

        private static let jsonNames = ["item"]

        public init(from reader: inout JSONReader) throws(JSONFailure) {
            var item: String?
            var members = try reader.members()
            while try reader.next(&members, of: Self.jsonNames) != nil { item = try reader.read() }
            self.init(item: item)
        }

        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("item", item)
            writer.endObject()
        }

        public struct Reply: JSONValue, Equatable {
            /// The circle's id, hex. It is absent if there is none.
            public var circle: String?
            public var machines: [Machine]
            /// Those that are no longer members, this one included if it is none.
            public var former: [FormerMachine]
            /// It is absent if there is none.
            public var paper: Paper?
            /// The state digest, hex. Machines that have the same changes have the same one. It is absent without a
            /// circle.
            public var digest: String?
            /// This machine is a member.
            public var joined: Bool
            /// How many changes wait to be given out.
            public var pending: Int64
            /// How many records wait for others.
            public var waiting: Int64
            /// This machine's request to join waits for an answer.
            public var requested: Bool
            /// How many parts of items machines have changed at the same time. Of very many, those that were not
            /// compared count. It is absent if only an unlocked vault can tell, and if this machine is no member.
            public var conflicts: Int64?

            public init(
                circle: String? = nil, machines: [Machine] = [], former: [FormerMachine] = [], paper: Paper? = nil,
                digest: String? = nil, joined: Bool = false, pending: Int64 = 0, waiting: Int64 = 0,
                requested: Bool = false, conflicts: Int64? = nil
            ) {
                self.circle = circle
                self.machines = machines
                self.former = former
                self.paper = paper
                self.digest = digest
                self.joined = joined
                self.pending = pending
                self.waiting = waiting
                self.requested = requested
                self.conflicts = conflicts
            }

            private static let jsonNames = [
                "circle", "conflicts", "digest", "former", "joined", "machines", "paper", "pending", "requested",
                "waiting",
            ]

            public init(from reader: inout JSONReader) throws(JSONFailure) {
                var circle: String?
                var machines: [Machine]?
                var former: [FormerMachine]?
                var paper: Paper?
                var digest: String?
                var joined: Bool?
                var pending: Int64?
                var waiting: Int64?
                var requested: Bool?
                var conflicts: Int64?
                var members = try reader.members()
                while let member = try reader.next(&members, of: Self.jsonNames) {
                    switch member {
                    case 0: circle = try reader.read()
                    case 1: conflicts = try reader.read()
                    case 2: digest = try reader.read()
                    case 3: former = try reader.read()
                    case 4: joined = try reader.read()
                    case 5: machines = try reader.read()
                    case 6: paper = try reader.read()
                    case 7: pending = try reader.read()
                    case 8: requested = try reader.read()
                    default: waiting = try reader.read()
                    }
                }
                self.init(
                    circle: circle, machines: try members.required(machines, "machines"),
                    former: try members.required(former, "former"), paper: paper, digest: digest,
                    joined: try members.required(joined, "joined"), pending: try members.required(pending, "pending"),
                    waiting: try members.required(waiting, "waiting"),
                    requested: try members.required(requested, "requested"), conflicts: conflicts
                )
            }

            public func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.member("circle", circle)
                writer.member("conflicts", conflicts)
                writer.member("digest", digest)
                writer.member("former", former)
                writer.member("joined", joined)
                writer.member("machines", machines)
                writer.member("paper", paper)
                writer.member("pending", pending)
                writer.member("requested", requested)
                writer.member("waiting", waiting)
                writer.endObject()
            }
        }
    }
}
