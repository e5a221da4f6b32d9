import Authorization
import BrokerProtocol
import Circle
import Coffer
import Courier
import Platform

/// A vault that shares its secrets, and the folder through which it does.
struct Sharing {
    let session: CommandSession
    let circle: StatementName
    let folder: SharedFolder

    /// The state of a vault that shares its secrets. A vault that is locked is opened if it does not tell.
    /// - Parameter item: the id of the one whose changes it is about; nil for all of this machine's.
    /// - Throws: `.notFound` if it shares them with nobody, `.notPermitted` if this machine was removed.
    static func state(
        _ session: CommandSession, of item: String? = nil, noPrompt: Bool
    ) throws(KeychainError) -> Sync.State.Reply {
        let state = try openedState(session, of: item, noPrompt: noPrompt)
        guard state.circle != nil else { throw notShared(isRequested: state.requested) }
        guard state.joined else { throw removed }
        return state
    }

    /// - Throws: `.notPermitted` if this machine is no longer a member. An exchange can bring that to light.
    static func checkJoined(_ session: CommandSession) throws(KeychainError) {
        guard try presentState(session).joined else { throw removed }
    }

    static let removed = KeychainError(
        .notPermitted, "this machine was removed from those that share the secrets",
        advice: "what it has stays here; to end sharing here: coffer sync leave; to come back after that: "
            + "coffer sync join FOLDER")

    /// The state of any vault, also before there is one. Nobody is asked.
    static func presentState(
        _ session: CommandSession, of item: String? = nil
    ) throws(KeychainError) -> Sync.State.Reply {
        do throws(KeychainError) { return try session.client.call(Sync.State(item: item)) } catch {
            guard error.code == .notFound else { throw error }
            return Sync.State.Reply()
        }
    }

    /// The state of any vault. One that is locked is opened if it does not tell.
    static func openedState(
        _ session: CommandSession, of item: String? = nil, noPrompt: Bool
    ) throws(KeychainError) -> Sync.State.Reply {
        do throws(KeychainError) { return try presentState(session, of: item) } catch {
            guard error.code == .locked else { throw error }
            try session.openVault(noPrompt: noPrompt)
            return try presentState(session, of: item)
        }
    }

    static let folderUnknown = KeychainError(
        .notFound, "this machine does not know the folder through which your vault shares its secrets",
        advice: "name it with: coffer sync now --folder FOLDER")

    static func notShared(isRequested: Bool) -> KeychainError {
        isRequested
            ? KeychainError(
                .notFound, "this machine has asked to join others, and is no member yet",
                advice: "go on with: coffer sync join FOLDER")
            : KeychainError(
                .notFound, "your vault shares its secrets with no other machine yet",
                advice: "begin with: coffer sync init FOLDER; if another machine has begun: coffer sync join FOLDER")
    }

    /// - Throws: `.alreadyExists` if the vault shares its secrets already, `.notPermitted` if this machine was removed and
    ///   has not left.
    static func checkAlone(_ session: CommandSession, noPrompt: Bool) throws(KeychainError) {
        let state = try openedState(session, noPrompt: noPrompt)
        guard state.circle != nil else { return }
        guard state.joined else { throw removed }
        throw KeychainError(
            .alreadyExists, "your vault shares its secrets already",
            advice: "see the machines with: coffer sync status; to use another folder: coffer sync now --folder FOLDER")
    }

    /// Opens the place that a vault which shares with nobody yet is to use.
    /// - Parameter program: the path of what gives the credentials; nil if they are typed.
    static func place(
        _ place: SharedPlace, _ session: CommandSession, program: String?, noPrompt: Bool
    ) throws -> SharedFolder {
        let opening = StoreOpening(session: session, noPrompt: noPrompt, program: program)
        // Nobody types credentials for a vault that shares already.
        if case .remote = place { try checkAlone(session, noPrompt: noPrompt) }
        let shared = try opening.named(place)
        try checkAlone(session, noPrompt: noPrompt)
        return shared
    }

    /// Finds the folder of a vault that shares its secrets.
    /// - Parameter named: the folder that the person names. It is used from now on.
    /// - Parameter git: whether the folder is a git repository from now on.
    static func find(
        _ session: CommandSession, folder named: String?, git: Bool = false, noPrompt: Bool
    ) throws -> Sharing {
        let circle = try name(of: state(session, noPrompt: noPrompt))
        let setting = SharingSetting(of: circle, session)
        let opening = StoreOpening(session: session, noPrompt: noPrompt)
        var opened = try named.map { try opening.folder($0, git ? .upstream : .itself, isNamed: true) }
        try session.openVault(noPrompt: noPrompt)
        let known = try setting.content(asks: true, noPrompt: noPrompt)
        if opened == nil {
            guard let known else { throw folderUnknown }
            opened =
                git ? try opening.folder(known.folder, .upstream) : try opening.known(known, asks: true)
        } else if !git, let branch = known?.branch, let path = opened?.path, path == known?.folder {
            // Who names the same folder once more still has a git repository.
            opened = try opening.folder(path, .branch(branch), isNamed: true)
        }
        guard let opened else { throw folderUnknown }
        // A member has not left: a mark of that is one of a try that the person has given up.
        if known != opened.setting() { try setting.store(opened.setting()) }
        if let known { try use(opened, insteadOf: known, session) }
        return Sharing(session: session, circle: circle, folder: opened)
    }

    /// Has the right user service carry the changes, if one does.
    static func use(
        _ opened: SharedFolder, insteadOf known: SharingSetting.Content, _ session: CommandSession
    ) throws(KeychainError) {
        let (unit, former) = (session.unit(for: opened.setting()), session.unit(for: known))
        guard unit.name != former.name, try !SharingUnit.isForAnother(session) else { return }
        unit.replace(former)
    }

    /// Begins to use a folder for a circle that this vault has just entered.
    static func begin(_ session: CommandSession, circle: String, _ folder: SharedFolder) throws -> Sharing {
        let circle = try name(circle)
        do throws(KeychainError) { try SharingSetting(of: circle, session).store(folder.setting()) } catch {
            let git = folder.branch == nil ? "" : " --git"
            let command = folder.remote == nil ? "coffer sync now --folder" : "coffer sync store set"
            Output.note(
                session.naming(
                    "Your vault does not know the folder yet. Once that is mended, run: "
                        + "\(command) \(ShellText.quote(folder.path))\(git)"))
            throw error
        }
        return Sharing(session: session, circle: circle, folder: folder)
    }

    static func name(of state: Sync.State.Reply) throws(KeychainError) -> StatementName { try name(state.circle ?? "") }

    private static func name(_ text: String) throws(KeychainError) -> StatementName {
        guard let name = StatementName(bytes: Hex.decode(text) ?? []) else { throw misunderstood("a circle has no id") }
        return name
    }

    static func misunderstood(_ what: String) -> KeychainError {
        KeychainError(
            .protocolViolation, "the broker's answer is not understood: \(what)",
            advice: "install coffer and cofferd of the same version")
    }

    /// Carries files in both directions once.
    /// - Parameter leaving: this machine's device, if it is leaving and no longer among the machines.
    /// - Throws: also if a remote could not be reached. What was given out is then kept for the next time.
    @discardableResult
    func exchange(leaving: WriterID? = nil) throws -> ExchangeOutcome {
        _ = try folder.refresh()
        let outcome = try carry(leaving: leaving)
        try folder.publish()
        return outcome
    }

    /// Carries files between the broker and what this machine has of the store.
    func carry(leaving: WriterID? = nil) throws -> ExchangeOutcome {
        let state = try Self.presentState(session)
        let members = try state.machines.map { machine in try Self.device(machine.device) }
        let succeeded = try state.former.filter { $0.own == true }.map { machine in try Self.device(machine.device) }
        guard let own = try leaving ?? Self.own(of: state.machines) else { throw Self.removed }
        let exchange = CircleExchange(
            of: circle, own: own, succeeded: succeeded, members: members, store: folder.store,
            broker: CommandBroker(session.client))
        do throws(ExchangeError<KeychainError>) { return try exchange.run() } catch {
            switch error {
            case .store(let error): throw SharedFolder.failure(error)
            case .broker(let error): throw error
            case .notUnderstood(let what): throw Self.misunderstood(what)
            }
        }
    }

    /// Puts back the beacon of a store on a server if only that is missing. No machine's service uses such a store.
    ///
    /// Only a person does that, and only where machines' files are. Else a store that is a wrong one, or was emptied, would
    /// pass for one without news.
    func ringIfLost(after outcome: ExchangeOutcome) throws {
        // An exchange that has written anything has replaced the beacon.
        guard folder.remote != nil, outcome.given == 0, outcome.putBack == 0, try !folder.holds(circle) else { return }
        if try folder.hasHeads(of: circle) { try folder.ring(circle) }
    }

    /// Carries files once, before a machine is removed. Who can write to the store can make that fail, and the broker may
    /// refuse to give anything out because of a machine that does harm. Neither must keep a machine among the others, so
    /// it is only a warning here.
    /// - Throws: `.notPermitted` if the exchange brings to light that this machine was removed.
    func exchangeBeforeRemoval() throws {
        do { for line in SharingText.warnings(try exchange()) { Output.note(line) } } catch {
            try Self.checkJoined(session)
            if let failure = error as? CommandFailure {
                // The first exchange after the removal says so, too.
                guard !SharedFolder.isAway(failure) else { return }
                let words = failure.advice.isEmpty ? failure.message : "\(failure.message); \(failure.advice)"
                return Output.note("coffer: warning: " + VisibleText.sentence(words))
            }
            guard let refusal = error as? KeychainError, refusal.code == .invalidArgument else { throw error }
            Output.note("coffer: warning: " + VisibleText.sentence(refusal.description))
        }
    }

    /// This machine's device; nil if it is not among the machines.
    static func own(of machines: [Sync.Machine]) throws(KeychainError) -> WriterID? {
        guard let machine = machines.first(where: \.own) else { return nil }
        return try device(machine.device)
    }

    private static func device(_ text: String) throws(KeychainError) -> WriterID {
        guard let device = WriterID(bytes: Hex.decode(text) ?? []) else {
            throw misunderstood("a machine has no id")
        }
        return device
    }

    /// Carries files once, after a command has changed the circle. The change itself has been made.
    func firstExchange() throws {
        let outcome: ExchangeOutcome
        do {
            outcome = try exchange()
            try ringIfLost(after: outcome)
        } catch {
            Output.note(
                session.naming("The first exchange with the folder failed. Once that is mended, run: coffer sync now"))
            throw error
        }
        for line in SharingText.warnings(outcome) { Output.note(session.naming(line)) }
        try Output.line(session.naming(SharingText.summary(outcome, settings: SharingSetting.count(session))))
    }
}

/// The broker's calls over a command's connection.
struct CommandBroker: ExchangeBroker {
    private let client: KeychainClient

    init(_ client: KeychainClient) { self.client = client }

    func look(_ call: Sync.Look) throws(KeychainError) -> Sync.Look.Reply { try client.call(call) }

    func take(_ call: Sync.Take) throws(KeychainError) -> Sync.Take.Reply { try client.call(call) }

    func give(_ call: Sync.Give) throws(KeychainError) -> Sync.Give.Reply { try client.call(call) }

    func putBack(_ call: Sync.PutBack) throws(KeychainError) -> Sync.PutBack.Reply { try client.call(call) }

    func mustTakeFirst(_ failure: KeychainError) -> Bool { failure.code == .changedMeanwhile }
}
