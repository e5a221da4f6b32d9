import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Vault

extension Challenge {
    /// What a person is asked to allow, with everything that this takes.
    enum Request: Sendable {
        /// Does something with the vault as a whole. The kind says everything.
        case vault(RequestKind)
        /// Opens the vault after a login that the authenticator reported. No client waits for it.
        case login
        /// Uses one item's secret. If `unlocks`, the vault is opened for that.
        case use(ItemUse, unlocks: Bool)
        /// Reads several items, all or none. If `unlocks`, the vault is opened for that.
        case readAll(JointRead, unlocks: Bool)
        case tieToBoot(registers: [Int])
        /// Renews all keys.
        case rotate(Rotation)
        /// Asks if these kinds are available for binding an item to them. Nobody is prompted, and nobody signs.
        case enrolment([AuthorizationKind])
        /// Lets the process and its descendants read several items without a prompt for a while.
        case lease(JointRead, Lease.Terms)
        /// Shares the vault's items with other machines.
        case circle(CirclePlan)
        /// Makes guarded items readable on other machines.
        case release(JointRead, ReleaseReceivers)
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
        /// The circle whose other machines are told; nil for a vault that shares its items with nobody.
        var circle: StatementName?
        /// What these machines call themselves.
        var machines: [MachineName] = []
    }
}

extension Challenge.Request {
    var kind: RequestKind {
        switch self {
        case .vault(let kind): kind
        case .login: .unlock
        case .use(let use, _): use.deed.kind
        case .readAll: .readAll
        case .tieToBoot: .tieToBoot
        case .rotate: .rotate
        case .enrolment: .enrolment
        case .lease: .lease
        case .circle(let plan): plan.kind
        case .release: .releaseToCircle
        }
    }

    /// Whether the vault is opened for the request.
    var unlocks: Bool {
        switch self {
        case .use(_, let unlocks), .readAll(_, let unlocks): unlocks
        case .vault, .login, .tieToBoot, .rotate, .enrolment, .lease, .circle, .release: false
        }
    }

    /// The names that the authenticator and the client get.
    var purposes: [Keychain.Purpose] { (unlocks ? [.unlock] : []) + [Keychain.Purpose(kind)] }

    /// The signatures that answer it, as far as they are known when it is made.
    var choice: SignatureChoice {
        let roots = kind.rootSignatures(unlocking: unlocks).map(Challenge.Authorization.init(root:))
        return SignatureChoice(itemWays.map { roots + $0 })
    }

    /// The ways to meet the requirements of the items that it reads, at least one.
    private var itemWays: [[Challenge.Authorization]] {
        let ways: [[Challenge.Authorization]] =
            switch self {
            case .use(let use, _): use.ways
            case .readAll(let read, _), .lease(let read, _), .release(let read, _): read.ways
            case .rotate(let rotation): [rotation.authorizations]
            case .vault, .login, .tieToBoot, .enrolment, .circle: []
            }
        return ways.isEmpty ? [[]] : ways
    }

    /// The event in the access log. nil for a request that asks nobody.
    var event: AccessRecord.Event? {
        switch kind {
        case .create: .create
        case .unlock: .unlock
        case .read, .readAll: .read
        case .change: .edit
        case .rename: .rename
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
        case .foundCircle, .addToCircle, .paperToCircle, .joinCircle, .removeFromCircle, .releaseToCircle: .share
        }
    }

    /// Whether one prompt may name this request together with others. It must read an item's present value, and do
    /// nothing else but open the vault for that.
    var sharesPrompts: Bool {
        if case .use(let use, _) = self { kind.accepts(.shared) && !use.subject.isFormer } else { false }
    }

    /// Whether roots are released only to be sealed again. They then open nothing and are given to no call.
    var resealsRoots: Bool { kind.terms.replaces != nil }

    /// Whether a lease can replace the person: items' present values are read, and nothing else is done for them.
    var canBeLeased: Bool { kind.accepts(.lease) && !unlocks && !subjects.contains(where: \.isFormer) }

    var isLogin: Bool { if case .login = self { true } else { false } }

    /// Whether the repeated call does what was asked for. All else was done with the signature, and recorded then.
    var isDoneByTheCall: Bool {
        switch self {
        case .use, .readAll, .lease, .release, .circle: true
        case .vault(let kind): kind == .recovery || kind == .accept
        case .login, .tieToBoot, .rotate, .enrolment: false
        }
    }

    var isEnrolment: Bool { kind == .enrolment }

    /// The item that is used, and its version.
    var subject: Challenge.Subject? {
        if case .use(let use, _) = self { use.subject } else { nil }
    }

    /// Whether it takes signatures for several items, all or none.
    var readsSeveral: Bool {
        switch self {
        case .readAll, .lease, .release: true
        default: false
        }
    }

    /// The items that are read or used, and their versions.
    var subjects: [Challenge.Subject] {
        switch self {
        case .readAll(let read, _), .lease(let read, _), .release(let read, _): read.items
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
        case (.release(let read, let receivers), .release(let others, let othersReceivers)):
            read.items == others.items && receivers == othersReceivers
        case (.readAll, _), (_, .readAll): false
        case (.enrolment(let kinds), .enrolment(let others)): kinds == others
        case (.circle(let plan), .circle(let other)): plan.repeats(other)
        default: purposes == other.purposes
        }
    }

    /// The same without the secrets of the call.
    var withoutSecrets: Self {
        switch self {
        case .rotate(var rotation):
            rotation.passwords = [:]
            return .rotate(rotation)
        case .circle(var plan):
            plan.signing = nil
            return .circle(plan)
        default: return self
        }
    }
}

extension Challenge.ItemUse.Deed {
    fileprivate var kind: RequestKind {
        switch self {
        case .read: .read
        case .change: .change
        case .rename: .rename
        }
    }

    /// The item's new name, if it gets one.
    var newName: Challenge.Name? { if case .rename(let name) = self { name } else { nil } }
}

extension Keychain.Purpose {
    /// The only place in which the broker writes the wire's word for a purpose.
    init(_ kind: RequestKind) {
        self =
            switch kind {
            case .create: .create
            case .unlock: .unlock
            case .read, .readAll: .read
            case .change: .change
            case .rename: .rename
            case .recovery: .recovery
            case .bind: .bind
            case .unbind: .unbind
            case .tieToBoot: .tieToBoot
            case .releaseFromBoot: .releaseFromBoot
            case .approveBoot: .approveBoot
            case .accept: .accept
            case .rotate: .rotate
            case .enrolment: .enrolment
            case .lease: .lease
            case .foundCircle: .foundCircle
            case .addToCircle: .addToCircle
            case .paperToCircle: .paperToCircle
            case .joinCircle: .joinCircle
            case .removeFromCircle: .removeFromCircle
            case .releaseToCircle: .releaseToCircle
            }
    }
}
