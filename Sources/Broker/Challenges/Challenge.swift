import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Vault

/// A question that only a person can answer, and everything the answer is good for: one process, one vault, one version of one item.
struct Challenge: Sendable {
    /// 32 random bytes, base64url.
    typealias ID = String

    let id: ID
    /// Who was asked: the user whose process it is.
    let uid: UInt32
    /// Whose vault it is about.
    let owner: Owner
    let process: ProcessIdentity
    /// nil while the vault is still to be made.
    var vault: VaultID?
    let purposes: [Keychain.Purpose]
    let subject: Subject?
    /// In the client's own words.
    let reason: String?
    /// The process's program, as the authenticator resolved it.
    var program: String?
    var choice: SignatureChoice
    /// How the person was recognised, where not by being asked for this challenge.
    var means: Means?
    var stage: Stage
    /// The moment from which on nobody has to take it any more.
    var expires: ContinuousClock.Instant
    /// What the TPM agreed on for the subject, or the recovery key. Kept for the repeated call only.
    var agreements: [ObjectRole: SecretBytes] = [:]
    /// Kinds that an item is to be bound to: whether they can be is asked, and nobody signs.
    var enrolment: [AuthorizationKind] = []
    /// Kinds that an earlier challenge of the same call found to be ready.
    var enrolled: [AuthorizationKind] = []
    /// A bound vault's unlock root, or that of one that is to be bound: kept until the registry names the one that takes its place, then that one.
    var heldRoot: SecretBytes?
    /// The Name of the sealed root that is to take its place.
    var resealed: [UInt8]?
    /// What a boot is to be told by, for a vault that is to be tied to it.
    var registers: [Int] = []
    /// How many wrong passwords of a bound vault were brought.
    var wrongPasswords = 0
    /// The items that a renewal of all keys reads for this: what the person is shown.
    var items: [Subject] = []
    /// For a renewal of all keys: the application passwords that came with the call, stretched to read their items and to store them.
    var passwords: [ItemID: RenewedPassword] = [:]
    /// Counts what this keeps of secrets, for its user.
    var secrets: SecretAllowance?
    /// What became of a renewal of all keys; nil while it is not done.
    var renewal: RenewalOutcome?
    /// What its item is to be called from then on, where it is to be renamed.
    var newName: Name?
    /// Made for a reported login: no client waits for it, so nothing is left to take once it is signed for.
    var isReport = false

    /// Whether roots are released to be sealed anew, and for nothing else.
    var resealsRoots: Bool { [[.bind], [.unbind], [.tieToBoot], [.releaseFromBoot]].contains(purposes) }

    /// Whether they are to be tied to the boot, or released from it.
    var changesBoot: Bool { [[.tieToBoot], [.releaseFromBoot]].contains(purposes) }

    /// Whether a prompt may name it together with others: reading, and opening the vault for it, and nothing else.
    var sharesPrompts: Bool { purposes.contains(.read) && Set(purposes).isSubset(of: [.read, .unlock]) }

    /// Whether it is root's, about an account that nobody can be asked for.
    var isForService: Bool {
        if case .user(let owner) = owner { owner != uid } else { false }
    }

    /// What this challenge, once granted, says that an item may be bound to.
    var ready: [AuthorizationKind] { purposes == [.enrolment] ? enrolment : enrolled }

    /// The version of the item that is to be read.
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

        /// By bytes: what Unicode calls equal can be two names.
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
        /// Which of several items it is for, where it is for one of several.
        var item: ItemID?
        var progress = Progress.open

        enum Progress: Sendable { case open, busy, done }
    }

    /// The authenticator's word for what it took for the person's answer.
    enum Means: String, Sendable {
        /// One given earlier at the same terminal.
        case reuse
        /// One given to another request of the same process, whose prompt named this one.
        case shared
        /// None: root opens what has nobody to ask.
        case root

        /// For people who read the access log.
        var detail: String {
            switch self {
            case .reuse: "answered earlier in this terminal (coffer auth)"
            case .shared: "answered together with other requests of the program"
            case .root: "by root, without a person"
            }
        }
    }

    /// Whether one proof of a person answers both: they are one process's, about one owner's vault, for the same purposes and by the same signatures.
    func isAlike(_ other: Challenge) -> Bool {
        uid == other.uid && process == other.process && owner == other.owner && purposes == other.purposes
            && choice.asksLike(other.choice)
    }

    /// Whether it is a question that nobody has begun to answer, and the other one is the same again.
    func isReplaceable(by other: Challenge) -> Bool {
        stage == .issued && process == other.process && uid == other.uid && owner == other.owner
            && purposes == other.purposes && subject == other.subject && enrolment == other.enrolment
            && newName == other.newName
    }

    enum Stage: Sendable, Equatable {
        case issued
        /// An authenticator is asking the person, over this connection.
        case described(connection: UInt64)
        /// The person was there, and all signatures are.
        case granted
    }
}
