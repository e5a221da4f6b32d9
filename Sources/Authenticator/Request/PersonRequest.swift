import Authorization
import BrokerProtocol
import Item

/// What a challenge asks a person to allow, with all that the person is shown about it.
///
/// A request has one purpose. Only the use of an item can also unlock the vault, so consent to one thing never includes another. The rules for
/// each kind are one row of ``RequestKind/terms``. They are applied to what the broker says here, in ``SignatureWays``, ``Claim`` and
/// ``CheckedRequest``.
enum PersonRequest: Equatable {
    /// To do something with the vault as a whole. The kind says everything.
    case vault(RequestKind)
    /// To use one item. `unlocks` tells whether the vault is unlocked for it.
    case use(ItemUse, unlocks: Bool)
    /// To read several items, all or none. The person is shown each of them.
    case readAll([BrokerInterface.NamedItem], unlocks: Bool)
    /// To renew all keys of the vault. These items are read for it, and the person is shown each of them. The machines of
    /// the circle are told.
    case rotate([BrokerInterface.NamedItem], telling: RenewedCircle?)
    /// To bind an item to these kinds of biometry, at least one. Nobody is asked, and nothing is signed.
    case enrolment([AuthorizationKind])
    /// To let the process and its descendants read several items without a prompt for a while. The person is shown each of them.
    case lease(LeaseRequest)
    /// To share the vault's items with other machines.
    case circle(CircleRequest)
    /// To give guarded items to machines that cannot read them yet. The person is shown each of both.
    case release(ReleaseRequest)

    /// - Parameter facts: the broker's description of the challenge.
    /// - Throws: ``ConversationError`` if it describes no request.
    init(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError) {
        guard !facts.purposes.isEmpty, Set(facts.purposes).count == facts.purposes.count else {
            throw .refused(.challengeRefused("the challenge has no clear purpose"))
        }
        let unlocks = facts.purposes.count == 2 && facts.purposes.contains(.unlock)
        let others = unlocks ? facts.purposes.filter { $0 != .unlock } : facts.purposes
        guard others.count == 1 else { throw Self.unexplained }
        let kind = RequestKind(others[0], ofSeveral: !(facts.items ?? []).isEmpty)
        // Each alone, so that consent to unlocking never includes these.
        guard !unlocks || kind.terms.canUnlock else { throw Self.unexplained }
        try self.init(kind, unlocking: unlocks, facts)
        try checkFields(facts)
    }

    private init(
        _ kind: RequestKind, unlocking unlocks: Bool, _ facts: BrokerInterface.Describe.Reply
    ) throws(ConversationError) {
        switch kind {
        case .read:
            let use = ItemUse(item: try Self.item(facts), deed: .read, presentName: try Self.presentName(facts))
            self = .use(use, unlocks: unlocks)
        case .change: self = .use(ItemUse(item: try Self.item(facts), deed: .change), unlocks: unlocks)
        case .rename:
            let use = ItemUse(item: try Self.item(facts), deed: .rename(to: try Self.newName(facts)))
            self = .use(use, unlocks: unlocks)
        case .readAll: self = .readAll(facts.items ?? [], unlocks: unlocks)
        case .rotate: self = .rotate(facts.items ?? [], telling: try RenewedCircle(facts))
        case .enrolment: self = .enrolment(try Self.biometrics(facts))
        case .lease:
            guard let terms = facts.lease else { throw Self.unexplained }
            self = .lease(LeaseRequest(items: facts.items ?? [], seconds: terms.seconds, command: terms.command))
        case .foundCircle, .addToCircle, .paperToCircle, .joinCircle, .removeFromCircle:
            self = .circle(try CircleRequest(kind, facts))
        case .releaseToCircle: self = .release(try ReleaseRequest(facts))
        case .create, .unlock, .recovery, .bind, .unbind, .tieToBoot, .releaseFromBoot, .approveBoot, .accept:
            self = .vault(kind)
        }
    }

    /// Checks that a list of items or of kinds of biometry belongs to this request, and that it can be shown.
    private func checkFields(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError) {
        guard kind == .lease || facts.lease == nil else { throw Self.unexplained }
        switch self {
        case .circle, .rotate: break
        case .release: try CircleRequest.checkAbsent(facts, butMachines: true)
        default: try CircleRequest.checkAbsent(facts)
        }
        let isOfFingers = !(facts.enrolment ?? []).isEmpty
        guard isOfFingers == (kind == .enrolment) else { throw Self.unclearBiometrics }
        let items = facts.items ?? []
        for fields in [facts.fields ?? []] + items.map({ $0.fields ?? [] }) {
            guard fields.count <= ItemLimits.fields, Set(fields.map { Array($0.utf8) }).count == fields.count,
                fields.allSatisfy({ (1...ItemLimits.fieldName).contains($0.utf8.count) })
            else { throw Self.unnamedItems }
        }
        switch kind.terms.items {
        case .none, .one:
            guard items.isEmpty else { throw Self.unnamedItems }
        case .anyNumber:
            guard items.count <= PromptLimits.items else { throw Self.unnamedItems }
        case .several:
            guard !items.isEmpty, items.count <= PromptLimits.items else { throw Self.unnamedItems }
            // One item beside the list would not be shown.
            guard facts.service == nil, facts.account == nil else { throw Self.unnamedItems }
        }
    }

    private static func item(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError)
        -> BrokerInterface.NamedItem
    {
        guard let service = facts.service, let account = facts.account else {
            throw .refused(.challengeRefused("the challenge does not name the item to read"))
        }
        return BrokerInterface.NamedItem(
            service: service, account: account, kind: facts.kind, version: facts.version, fields: facts.fields)
    }

    /// The item's present name, if a former value was stored under another one.
    private static func presentName(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError)
        -> BrokerInterface.NamedItem?
    {
        guard facts.version != nil, facts.newService != nil || facts.newAccount != nil else { return nil }
        return try newName(facts)
    }

    private static func newName(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError)
        -> BrokerInterface.NamedItem
    {
        guard let service = facts.newService, let account = facts.newAccount else {
            throw .refused(.challengeRefused("the challenge does not give the item's new name"))
        }
        return BrokerInterface.NamedItem(service: service, account: account)
    }

    private static func biometrics(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError)
        -> [AuthorizationKind]
    {
        let names = facts.enrolment ?? []
        let kinds = names.compactMap(AuthorizationKind.init(rawValue:)).filter(\.isBiometric)
        guard kinds.count == names.count, Set(kinds).count == kinds.count else { throw unclearBiometrics }
        return kinds
    }

    var kind: RequestKind {
        switch self {
        case .vault(let kind): kind
        case .use(let use, _): use.kind
        case .readAll: .readAll
        case .rotate: .rotate
        case .enrolment: .enrolment
        case .lease: .lease
        case .circle(let circle): circle.kind
        case .release: .releaseToCircle
        }
    }

    /// Whether the vault is unlocked for the request.
    var unlocks: Bool {
        switch self {
        case .use(_, let unlocks), .readAll(_, let unlocks): unlocks
        case .vault, .rotate, .enrolment, .lease, .circle, .release: false
        }
    }

    /// Whether it changes who shares the vault's items, or enters a circle. Somebody is shown that each time.
    var changesCircle: Bool {
        switch self {
        case .circle: true
        case .rotate(_, let circle): circle != nil
        case .vault, .use, .readAll, .enrolment, .lease, .release: false
        }
    }

    /// What root's `coffer` answers for an invitation; nil if none can be meant.
    var answerOfInvitation: String? {
        guard case .circle(let circle) = self else { return nil }
        return circle.answerOfInvitation
    }

    /// The items that are read.
    var items: [BrokerInterface.NamedItem] {
        switch self {
        case .use(let use, _): [use.item]
        case .readAll(let items, _), .rotate(let items, _): items
        case .lease(let lease): lease.items
        case .release(let release): release.items
        case .vault, .enrolment, .circle: []
        }
    }

    /// How many fields are read. The person is shown each of them.
    var fieldCount: Int { items.reduce(0) { $0 + max(1, $1.fields?.count ?? 1) } }

    /// The purposes as the broker names them, in alphabetical order.
    var purposes: [String] { ([kind.purpose] + (unlocks ? [RequestKind.unlock.purpose] : [])).sorted() }

    /// No request has these purposes together, or is answered by these signatures.
    static let unexplained = ConversationError.refused(
        .challengeRefused("the challenge asks for other signatures than its purpose needs"))
    /// The person must be shown each item that is read.
    static let unnamedItems = ConversationError.refused(
        .challengeRefused("the challenge reads more items than it names"))
    private static let unclearBiometrics = ConversationError.refused(
        .challengeRefused("the challenge does not say which fingers to bind an item to"))
}

/// What a lease is to be granted for.
struct LeaseRequest: Equatable {
    let items: [BrokerInterface.NamedItem]
    /// How long it lasts.
    let seconds: Int64
    /// The command that the process is about to run, in its own words.
    let command: String?
}

/// What is to be done with one item.
struct ItemUse: Equatable {
    enum Deed: Equatable {
        case read
        /// To change for good what is required to read the item.
        case change
        /// To give the item another name, which prompts show from then on.
        case rename(to: BrokerInterface.NamedItem)
    }

    let item: BrokerInterface.NamedItem
    let deed: Deed
    /// For a former value: the item's present name, if the value was stored under another one.
    var presentName: BrokerInterface.NamedItem?

    var kind: RequestKind {
        switch deed {
        case .read: .read
        case .change: .change
        case .rename: .rename
        }
    }
}

extension RequestKind {
    /// The only place in which the authenticator reads the wire's word for a purpose.
    fileprivate init(_ purpose: Keychain.Purpose, ofSeveral isOfSeveral: Bool) {
        self =
            switch purpose {
            case .create: .create
            case .unlock: .unlock
            case .read: isOfSeveral ? .readAll : .read
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
