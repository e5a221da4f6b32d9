import Authorization
import BrokerProtocol
import Cryptography
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
    /// nil until the vault is made.
    var vault: VaultID?
    let purposes: [Keychain.Purpose]
    let subject: Subject?
    /// The reason that the client gives, in its own words.
    let reason: String?
    /// The program of the process, as the authenticator resolved it.
    var program: String?
    var choice: SignatureChoice
    /// How the person was recognised; nil if they were asked for this challenge.
    var means: Means?
    var stage: Stage
    /// From this moment on, the challenge is not accepted.
    var expires: ContinuousClock.Instant
    /// What the TPM agreed on for the subject, or the recovery key. It is kept only for the repeated call.
    var agreements: [ObjectRole: SecretBytes] = [:]
    /// The kinds of authorization that an item is to be bound to. The challenge asks if each is available; nobody
    /// signs.
    var enrolment: [AuthorizationKind] = []
    /// The kinds that an earlier challenge of the same call found to be available.
    var enrolled: [AuthorizationKind] = []
    /// The unlock root that a signature released, to be sealed again. Once its replacement is sealed, this is the
    /// replacement.
    var heldRoot: SecretBytes?
    /// The Name of the sealed replacement; nil until there is one.
    var resealed: [UInt8]?
    /// The registers that a vault is to be tied to.
    var registers: [Int] = []
    /// How many wrong passwords of a bound vault the authenticator has brought.
    var wrongPasswords = 0
    /// The items that a renewal of all keys reads for this challenge. The person is shown them.
    var items: [Subject] = []
    /// For a renewal of all keys: the application passwords of the call, stretched for reading their items and for
    /// storing them.
    var passwords: [ItemID: RenewedPassword] = [:]
    /// Counts the secrets kept here against the user's budget.
    var secrets: SecretAllowance?
    /// The outcome of a renewal of all keys; nil until it is done.
    var renewal: RenewalOutcome?
    /// The item's new name, if it is to be renamed.
    var newName: Name?
    /// Made for a reported login. No client waits for it, so it is dropped once it is signed.
    var isReport = false

    /// Whether roots are released only to be sealed again.
    var resealsRoots: Bool { [[.bind], [.unbind], [.tieToBoot], [.releaseFromBoot]].contains(purposes) }

    /// Whether the roots are to be tied to the boot or released from it.
    var changesBoot: Bool { [[.tieToBoot], [.releaseFromBoot]].contains(purposes) }

    /// Whether one prompt may name this request together with others. It must read an item, and do nothing else but
    /// open the vault for that.
    var sharesPrompts: Bool { purposes.contains(.read) && Set(purposes).isSubset(of: [.read, .unlock]) }

    /// Whether root asks about an account for which nobody can be prompted.
    var isForService: Bool {
        if case .user(let owner) = owner { owner != uid } else { false }
    }

    /// The kinds that this challenge, once granted, allows an item to be bound to.
    var ready: [AuthorizationKind] { purposes == [.enrolment] ? enrolment : enrolled }

    /// The item to be read, and its version.
    struct Subject: Sendable, Equatable {
        let item: ItemID
        let version: UInt64
        let service: String
        let account: String

        func isSameVersion(as other: Subject) -> Bool { item == other.item && version == other.version }
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
    }

    /// The authenticator's word for how it recognised the person.
    enum Means: String, Sendable {
        /// An answer given earlier at the same terminal.
        case reuse
        /// An answer to another request of the same process, whose prompt named this request too.
        case shared
        /// No person: root opens a vault for which nobody can be asked.
        case root

        /// The text for people who read the access log.
        var detail: String {
            switch self {
            case .reuse: "answered earlier in this terminal (coffer auth)"
            case .shared: "answered together with other requests of the program"
            case .root: "by root, without a person"
            }
        }
    }

    /// Whether one proof of presence answers both. They must be of one process, about one owner's vault, for the same
    /// purposes, with the same signatures.
    func isAlike(_ other: Challenge) -> Bool {
        uid == other.uid && process == other.process && owner == other.owner && purposes == other.purposes
            && choice.asksLike(other.choice)
    }

    /// Whether nobody has begun to answer this request, and the other one repeats it.
    func isReplaceable(by other: Challenge) -> Bool {
        stage == .issued && process == other.process && uid == other.uid && owner == other.owner
            && purposes == other.purposes && subject == other.subject && enrolment == other.enrolment
            && newName == other.newName
    }

    enum Stage: Sendable, Equatable {
        case issued
        /// An authenticator is asking the person, over this connection.
        case described(connection: UInt64)
        /// The person was present, and all signatures are there.
        case granted
    }
}

/// Why a challenge was refused. Clients are not told the detail, so that guessing reveals nothing.
enum ChallengeRefusal: Error, Sendable, Equatable {
    case unknown
    case expired
    case anothersProcess
    case notGranted
    case outOfOrder
}
