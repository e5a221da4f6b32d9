import Authorization
import BrokerProtocol
import Cryptography
import Item
import Platform
import Vault

/// A request that only a person can allow, and what the answer is valid for: one process, one vault, one version of
/// one item.
struct Challenge: Sendable {
    /// 32 random bytes, base64url.
    typealias ID = String

    let id: ID
    /// The user who is asked: the one who runs the process.
    let uid: UInt32
    /// The owner of the vault that it concerns.
    let owner: Owner
    let process: ProcessIdentity
    /// For the log only.
    var traits = ProcessTraits()
    /// nil until the vault is made.
    var vault: VaultID?
    /// The reason that the client gives, in its own words.
    let reason: String?
    /// The kinds that an earlier challenge of the same call found to be available.
    let enrolled: [AuthorizationKind]
    /// Whether the process asks for another program. Its own leases do not count then.
    var forOthers = false
    /// The program of the process, as the authenticator resolved it.
    var program: String?
    /// What is asked for, and how far the answer has come.
    var life: ChallengeLife
    /// From this moment on, the challenge is not accepted.
    var expires: ContinuousClock.Instant
    /// Counts the secrets kept here against the user's budget.
    var secrets: SecretAllowance?

    /// What the person is asked to allow.
    var request: Request { life.request }

    /// The signatures that are asked for now.
    var choice: SignatureChoice { life.choice }

    /// Whether root asks about an account for which nobody can be prompted.
    var isForService: Bool {
        if case .user(let owner) = owner { owner != uid } else { false }
    }

    /// The user whose share of the TPM a new vault takes; nil if root makes it for a service.
    var maker: UInt32? { isForService ? nil : uid }

    /// For a renewal of all keys: the items that are read for it.
    var items: [Subject] { if case .rotate(let rotation) = request { rotation.items } else { [] } }

    /// For a renewal of all keys: the application passwords of the call.
    var passwords: [ItemID: RenewedPassword] {
        if case .rotate(let rotation) = request { rotation.passwords } else { [:] }
    }

    /// The same challenge for the access log.
    var withoutSecrets: Challenge {
        var bare = self
        bare.life = ChallengeLife(request.withoutSecrets)
        bare.secrets = nil
        return bare
    }

    /// The item to be read, and its version.
    struct Subject: Sendable, Equatable {
        let item: ItemID
        let version: UInt64
        /// The name under which this version was stored. For a former one, it may differ from the item's present name.
        let service: String
        let account: String
        var kind = ItemKind.genericPassword
        /// The fields that are read or sealed anew.
        var fields = [FieldName.secret]
        /// Whether this version is a former one.
        var isFormer = false
        /// What the item is called now; nil if it has not been renamed since this version.
        var presentName: Name?

        func isSameVersion(as other: Subject) -> Bool {
            target == other.target && version == other.version
        }

        var target: Target { Target(item: item, fields: fields) }
    }

    /// The item and the fields that a call reads.
    struct Target: Sendable, Hashable {
        let item: ItemID
        let fields: [FieldName]
    }

    /// An item's name.
    struct Name: Sendable, Equatable {
        let service: String
        let account: String

        /// Compares bytes, because two different names can be equal in Unicode.
        static func == (one: Name, other: Name) -> Bool {
            one.service.utf8.elementsEqual(other.service.utf8) && one.account.utf8.elementsEqual(other.account.utf8)
        }
    }

    /// One signature that may be needed.
    struct Authorization: Sendable, Equatable {
        let role: ObjectRole
        let kind: AuthorizationKind
        /// The item's point for a constraint key; nil for a sealed root.
        let point: [UInt8]?
        /// The item that it is for, if the challenge concerns several items.
        var item: ItemID?
        var progress = Progress.open

        enum Progress: Sendable { case open, busy, done }

        init(role: ObjectRole, kind: AuthorizationKind, point: [UInt8]?, item: ItemID? = nil) {
            self.role = role
            self.kind = kind
            self.point = point
            self.item = item
        }

        /// For one of the vault's roots.
        init(root kind: AuthorizationKind) { self.init(role: kind.role, kind: kind, point: nil) }
    }

    /// The authenticator's word for how it recognised the person.
    enum Means: String, Sendable {
        /// An answer given earlier at the same terminal.
        case reuse
        /// An answer to another request of the same process, whose prompt named this request too.
        case shared
        /// The answer that granted a lease.
        case lease
        /// No person: root opens a vault for which nobody can be asked.
        case root
        /// Root's invitation, which root made before.
        case invitation

        /// The text for people who read the access log.
        var detail: String {
            switch self {
            case .reuse: "answered earlier in this terminal (coffer auth)"
            case .shared: "answered together with other requests of the program"
            case .lease: Lease.readDetail
            case .root: "by root, without a person"
            case .invitation: "by an invitation of root's"
            }
        }
    }

    /// Whether one proof of presence answers both. They must be of one process, about one owner's vault, for the same
    /// purposes, with the same signatures.
    func isAlike(_ other: Challenge) -> Bool {
        uid == other.uid && process == other.process && owner == other.owner && request.asksLike(other.request)
    }

    /// Whether nobody has begun to answer this request, and the other one repeats it.
    func isReplaceable(by other: Challenge) -> Bool {
        life.isIssued && process == other.process && uid == other.uid && owner == other.owner
            && request.repeats(other.request)
    }
}

/// A challenge that was granted, for the repeated call.
struct GrantedChallenge: Sendable {
    let challenge: Challenge
    let grant: ChallengeLife.Grant

    var request: Challenge.Request { challenge.request }
    var vault: VaultID? { challenge.vault }

    /// The kinds that the repeated call may bind an item to.
    var enrolled: [AuthorizationKind] {
        if case .enrolment(let kinds) = request { kinds } else { challenge.enrolled }
    }
}

/// Why a challenge was refused. Clients are not told the detail, so that guessing reveals nothing.
enum ChallengeRefusal: Error, Sendable, Equatable {
    case unknown
    case expired
    case anothersProcess
    case notGranted
    case outOfOrder
    /// The request does not permit the call at all.
    case anotherRequest
}
