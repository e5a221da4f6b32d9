import Authorization
import BrokerProtocol

/// What a challenge asks a person to allow, with all that the person is shown about it.
///
/// A request has one purpose. Only the use of an item can also unlock the vault, so consent to one thing never includes another. The rules
/// about requests are exhaustive switches, each in the file of its rule. ``Claim``, for example, holds the rule of who may ask.
enum PersonRequest: Equatable {
    /// To make a vault, and unlock it.
    case create
    case unlock
    /// To use one item. `unlocks` tells whether the vault is unlocked for it.
    case use(ItemUse, unlocks: Bool)
    /// To read several items, all or none. The person is shown each of them.
    case readAll([BrokerInterface.NamedItem], unlocks: Bool)
    /// To make a new recovery code.
    case recovery
    /// To bind the vault to the login password.
    case bind
    case unbind
    case tieToBoot
    case releaseFromBoot
    /// To change which ways of starting the machine open the vault.
    case approveBoot
    /// To accept a vault's file as the newest, although the TPM has not counted it.
    case accept
    /// To renew all keys of the vault. These items are read for it, and the person is shown each of them.
    case rotate([BrokerInterface.NamedItem])
    /// To bind an item to these kinds of biometry, at least one. Nobody is asked, and nothing is signed.
    case enrolment([AuthorizationKind])
    /// To let the process and its descendants read several items without a prompt for a while. The person is shown each of them.
    case lease(LeaseRequest)

    /// - Parameter facts: the broker's description of the challenge.
    /// - Throws: ``ConversationError`` if it describes no request.
    init(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError) {
        guard !facts.purposes.isEmpty, Set(facts.purposes).count == facts.purposes.count else {
            throw .refused(.challengeRefused("the challenge has no clear purpose"))
        }
        let unlocks = facts.purposes.count == 2 && facts.purposes.contains(.unlock)
        let others = unlocks ? facts.purposes.filter { $0 != .unlock } : facts.purposes
        guard others.count == 1 else { throw Self.unexplained }
        try self.init(others[0], unlocking: unlocks, facts)
        try checkFields(facts)
    }

    private init(
        _ purpose: Keychain.Purpose, unlocking unlocks: Bool, _ facts: BrokerInterface.Describe.Reply
    ) throws(ConversationError) {
        switch purpose {
        case .read where !(facts.items ?? []).isEmpty:
            self = .readAll(facts.items ?? [], unlocks: unlocks)
            return
        case .read:
            self = .use(
                ItemUse(item: try Self.item(facts), deed: .read, presentName: try Self.presentName(facts)),
                unlocks: unlocks)
            return
        case .change:
            self = .use(ItemUse(item: try Self.item(facts), deed: .change), unlocks: unlocks)
            return
        case .rename:
            self = .use(
                ItemUse(item: try Self.item(facts), deed: .rename(to: try Self.newName(facts))), unlocks: unlocks)
            return
        case .create: self = .create
        case .unlock: self = .unlock
        case .recovery: self = .recovery
        case .bind: self = .bind
        case .unbind: self = .unbind
        case .tieToBoot: self = .tieToBoot
        case .releaseFromBoot: self = .releaseFromBoot
        case .approveBoot: self = .approveBoot
        case .accept: self = .accept
        case .rotate: self = .rotate(facts.items ?? [])
        case .enrolment: self = .enrolment(try Self.biometrics(facts))
        case .lease:
            guard let terms = facts.lease else { throw Self.unexplained }
            self = .lease(LeaseRequest(items: facts.items ?? [], seconds: terms.seconds, command: terms.command))
        }
        // Each alone, so that consent to unlocking never includes these.
        guard !unlocks else { throw Self.unexplained }
    }

    /// Checks that a list of items or of kinds of biometry belongs to this request, and that it can be shown.
    private func checkFields(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError) {
        if case .lease = self {} else if facts.lease != nil { throw Self.unexplained }
        let (hasBiometrics, hasItems) = (!(facts.enrolment ?? []).isEmpty, !(facts.items ?? []).isEmpty)
        switch self {
        case .enrolment:
            guard hasBiometrics else { throw Self.unclearBiometrics }
            guard !hasItems else { throw Self.unnamedItems }
        case .rotate(let items):
            guard !hasBiometrics else { throw Self.unclearBiometrics }
            guard items.count <= PromptLimits.items else { throw Self.unnamedItems }
        case .readAll(let items, _):
            guard !hasBiometrics else { throw Self.unclearBiometrics }
            guard items.count <= PromptLimits.items else { throw Self.unnamedItems }
            // One item beside the list would not be shown.
            guard facts.service == nil, facts.account == nil else { throw Self.unnamedItems }
        case .lease(let lease):
            guard !hasBiometrics else { throw Self.unclearBiometrics }
            guard hasItems, lease.items.count <= PromptLimits.items, facts.service == nil, facts.account == nil else {
                throw Self.unnamedItems
            }
        case .create, .unlock, .use, .recovery, .bind, .unbind, .tieToBoot, .releaseFromBoot, .approveBoot, .accept:
            guard !hasBiometrics else { throw Self.unclearBiometrics }
            guard !hasItems else { throw Self.unnamedItems }
        }
    }

    private static func item(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError)
        -> BrokerInterface.NamedItem
    {
        guard let service = facts.service, let account = facts.account else {
            throw .refused(.challengeRefused("the challenge does not name the item to read"))
        }
        return BrokerInterface.NamedItem(
            service: service, account: account, kind: facts.kind, version: facts.version)
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

    /// The purposes as the broker names them, in alphabetical order.
    var purposes: [Keychain.Purpose] {
        switch self {
        case .create: [.create]
        case .unlock: [.unlock]
        case .use(let use, let unlocks): unlocks ? [use.purpose, .unlock] : [use.purpose]
        case .readAll(_, let unlocks): unlocks ? [.read, .unlock] : [.read]
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

    fileprivate var purpose: Keychain.Purpose {
        switch deed {
        case .read: .read
        case .change: .change
        case .rename: .rename
        }
    }
}
