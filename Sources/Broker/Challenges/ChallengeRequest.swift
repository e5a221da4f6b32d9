import Authorization
import BrokerProtocol
import Cryptography
import Vault

extension Challenge {
    /// What a person is asked to allow, with everything that this takes.
    enum Request: Sendable {
        /// Makes a vault and opens it.
        case create
        /// Opens the vault.
        case unlock
        /// Opens the vault after a login that the authenticator reported. No client waits for it.
        case login
        /// Uses one item's secret. If `unlocks`, the vault is opened for that.
        case use(ItemUse, unlocks: Bool)
        /// Reads several items, all or none. If `unlocks`, the vault is opened for that.
        case readAll(JointRead, unlocks: Bool)
        /// Makes a recovery code.
        case recovery
        case bind
        case unbind
        case tieToBoot(registers: [Int])
        case releaseFromBoot
        case approveBoot
        /// Accepts the vault's file as the newest one. Root asks.
        case accept
        /// Renews all keys.
        case rotate(Rotation)
        /// Asks if these kinds are available for binding an item to them. Nobody is prompted, and nobody signs.
        case enrolment([AuthorizationKind])
        /// Lets the process and its descendants read several items without a prompt for a while.
        case lease(JointRead, Lease.Terms)
    }

    /// The use of one item's secret.
    struct ItemUse: Sendable {
        enum Deed: Sendable, Equatable {
            case read
            /// Changes the item's requirements.
            case change
            case rename(to: Name)
        }

        let deed: Deed
        let subject: Subject
        /// The signatures for the item's requirements. Any one of the ways is enough.
        let ways: [[Authorization]]
    }

    /// A renewal of all keys.
    struct Rotation: Sendable {
        /// The items that are read for it. The person is shown them.
        let items: [Subject]
        /// Their signatures.
        let authorizations: [Authorization]
        /// The application passwords of the call, stretched for reading their items and for storing them.
        var passwords: [ItemID: RenewedPassword]
    }
}

extension Challenge.Request {
    /// The names that the authenticator and the client get.
    var purposes: [Keychain.Purpose] {
        switch self {
        case .create: [.create]
        case .unlock, .login: [.unlock]
        case .use(let use, let unlocks): (unlocks ? [.unlock] : []) + [use.deed.purpose]
        case .readAll(_, let unlocks): unlocks ? [.unlock, .read] : [.read]
        case .recovery: [.recovery]
        case .bind: [.bind]
        case .unbind: [.unbind]
        case .tieToBoot: [.tieToBoot]
        case .releaseFromBoot: [.releaseFromBoot]
        case .approveBoot: [.approveBoot]
        case .accept: [.accept]
        case .rotate: [.rotate]
        case .enrolment: [.enrolment]
        case .lease: [.lease]
        }
    }

    /// The signatures that answer it, as far as they are known when it is made.
    var choice: SignatureChoice {
        switch self {
        case .create, .accept, .enrolment: .none
        case .unlock, .login, .bind, .unbind: .unlock
        case .use(let use, unlocks: false): SignatureChoice(use.ways)
        case .use(let use, unlocks: true):
            SignatureChoice(use.ways.map { SignatureChoice.unlock.authorizations + $0 })
        case .readAll(let read, unlocks: false): SignatureChoice(read.ways)
        case .readAll(let read, unlocks: true):
            SignatureChoice(read.ways.map { SignatureChoice.unlock.authorizations + $0 })
        case .lease(let read, _): SignatureChoice(read.ways)
        case .recovery: .recovery
        case .tieToBoot, .releaseFromBoot: .roots
        case .approveBoot: .boot
        case .rotate(let rotation):
            SignatureChoice([SignatureChoice.unlock.authorizations + rotation.authorizations])
        }
    }

    /// The event in the access log. nil for a request that asks nobody.
    var event: AccessRecord.Event? {
        switch self {
        case .create: .create
        case .unlock, .login: .unlock
        case .use(let use, _): use.deed.event
        case .readAll: .read
        case .recovery: .recovery
        case .bind: .bind
        case .unbind: .unbind
        case .tieToBoot: .tie
        case .releaseFromBoot: .release
        case .approveBoot: .approve
        case .accept: .accept
        case .rotate: .rotate
        case .enrolment: nil
        case .lease: .lease
        }
    }

    /// Whether roots are released only to be sealed again. They then open nothing and are given to no call.
    var resealsRoots: Bool {
        switch self {
        case .bind, .unbind, .tieToBoot, .releaseFromBoot: true
        case .create, .unlock, .login, .use, .readAll, .recovery, .approveBoot, .accept, .rotate, .enrolment, .lease:
            false
        }
    }

    /// Whether one prompt may name this request together with others. It must read an item's present value, and do
    /// nothing else but open the vault for that.
    var sharesPrompts: Bool {
        if case .use(let use, _) = self { use.deed == .read && !use.subject.isFormer } else { false }
    }

    var isLogin: Bool { if case .login = self { true } else { false } }

    var isEnrolment: Bool { if case .enrolment = self { true } else { false } }

    /// The item that is used, and its version.
    var subject: Challenge.Subject? {
        if case .use(let use, _) = self { use.subject } else { nil }
    }

    /// Whether it takes signatures for several items, all or none.
    var readsSeveral: Bool {
        switch self {
        case .readAll, .lease: true
        default: false
        }
    }

    /// The items that are read or used, and their versions.
    var subjects: [Challenge.Subject] {
        switch self {
        case .readAll(let read, _), .lease(let read, _): read.items
        default: subject.map { [$0] } ?? []
        }
    }

    /// Whether a person answers both by the same proof. The items may differ. A read of several items has a prompt of
    /// its own, so it is like no other request.
    func asksLike(_ other: Self) -> Bool {
        if readsSeveral || other.readsSeveral { return false }
        return purposes == other.purposes && choice.asksLike(other.choice)
    }

    /// Whether both ask for the very same thing, as a repeated call does.
    func repeats(_ other: Self) -> Bool {
        switch (self, other) {
        case (.use(let use, _), .use(let others, _)):
            purposes == other.purposes && use.subject == others.subject && use.deed == others.deed
        case (.readAll(let read, _), .readAll(let others, _)):
            purposes == other.purposes && read.items == others.items
        case (.lease(let read, let terms), .lease(let others, let othersTerms)):
            read.items == others.items && terms == othersTerms
        case (.readAll, _), (_, .readAll): false
        case (.enrolment(let kinds), .enrolment(let others)): kinds == others
        default: purposes == other.purposes
        }
    }

    /// The same without the secrets of the call.
    var withoutSecrets: Self {
        guard case .rotate(var rotation) = self else { return self }
        rotation.passwords = [:]
        return .rotate(rotation)
    }
}

extension Challenge.ItemUse.Deed {
    fileprivate var purpose: Keychain.Purpose {
        switch self {
        case .read: .read
        case .change: .change
        case .rename: .rename
        }
    }

    fileprivate var event: AccessRecord.Event {
        switch self {
        case .read: .read
        case .change: .edit
        case .rename: .rename
        }
    }

    /// The item's new name, if it gets one.
    var newName: Challenge.Name? { if case .rename(let name) = self { name } else { nil } }
}
