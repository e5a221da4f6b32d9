import Authorization
import BrokerProtocol
import Circle
import Coffer
import Courier
import Glibc
import Platform

/// Carries changes between the vault and the folder whenever there is something to do, until it is told to end. It asks
/// nobody, and opens no vault. One thread waits for everything.
struct SharingWatch: ~Copyable {
    private enum Place {
        case unread
        /// nil if the vault does not know the folder. That is an answer, too: to ask again would be a use of the vault.
        case read(StatementName, SharingSetting.Content?)
    }

    private let session: CommandSession
    private let signals: SignalDescriptor
    private let clock: ClockWatch
    private var arrivals: ArrivalWatch
    private var events: VaultEventLine?
    private var plan = CarryingPlan(at: .now)
    private var place = Place.unread
    /// The store on a server, with what it remembers, and what opens it: that is no use of the vault again.
    private var kept: SharedFolder?
    /// This machine's own device. What it writes itself is nothing new.
    private var own = ""
    private var told = ToldOnce()
    private var warned: [String] = []

    init(_ session: CommandSession) throws(SystemError) {
        let arrivals = try ArrivalWatch()
        let signals = try SignalDescriptor([SIGTERM, SIGINT])
        let clock = try ClockWatch()
        (self.session, self.arrivals) = (session, arrivals)
        self.signals = signals
        self.clock = clock
    }

    /// Runs until a signal comes, or until this machine shares its secrets no more.
    mutating func run() throws(SystemError) {
        while true {
            switch plan.next(at: .now) {
            case .listen: listen()
            case .carry:
                guard let end = carry() else { continue }
                return Output.note(end)
            case .wait(let deadline): if try isTold(toEndBy: deadline) { return }
            }
        }
    }

    private mutating func listen() {
        events = nil
        do throws(KeychainError) {
            events = try VaultEventLine(session.client.paths, of: session.vaultName)
            plan.listening(at: .now)
            // What came along with the first reply makes nothing readable.
            hear()
        } catch {
            // One that has only no room for another reader keeps no change from travelling.
            if Self.isAbsent(error) { tell(error.description) }
            plan.notListening(isThere: !Self.isAbsent(error), at: .now, spread: .random(in: 0..<1))
        }
    }

    private static func isAbsent(_ error: KeychainError) -> Bool {
        [.brokerUnreachable, .brokerSilent].contains(error.code)
    }

    /// - Returns: whether a signal ends it.
    private mutating func isTold(toEndBy deadline: ContinuousClock.Instant) throws(SystemError) -> Bool {
        var entries: [(descriptor: Int32, interest: Readiness.Interest)] = [
            (signals.number, .input), (clock.number, .input), (arrivals.number, .input),
        ]
        if let number = events?.number { entries.append((number, .input)) }
        let ready = try Readiness.wait(for: entries, until: deadline)
        if ready[0], !signals.take().isEmpty { return true }
        if ready[1] {
            try clock.again()
            plan.noticed(.woken, at: .now)
        }
        if ready[2], arrivals.take(without: { [own] in Self.isOwn($0, device: own) }) {
            plan.noticed(.folder, at: .now)
        }
        if ready.count > 3, ready[3] { hear() }
        return false
    }

    /// Whether a file is one that this machine writes itself. Others write the beacon, too, but never alone.
    static func isOwn(_ name: String, device: String) -> Bool { name == device || name == StorePath.beaconName }

    private mutating func hear() {
        do throws(KeychainError) {
            for event in try events?.take() ?? [] {
                if event.item?.service == SharingSetting.service || event.event == .missed {
                    place = .unread
                    plan.noticed(.setting, at: .now)
                }
                if let notice = Self.notice(of: event.event) { plan.noticed(notice, at: .now) }
            }
        } catch {
            events = nil
            // A broker that stops says so. The next one is soon there, and what is in the way then is told.
            plan.notListening(isThere: false, at: .now, spread: .random(in: 0..<1))
        }
    }

    /// - Returns: nil for what is no reason to carry.
    static func notice(of event: Keychain.Event.Kind) -> CarryingPlan.Notice? {
        switch event {
        case .added, .updated, .deleted, .missed: .items
        case .locked: .locked
        case .unlocked: .unlocked
        // An exchange makes it. The service would carry for ever, and write the vault each time.
        case .sharing: nil
        }
    }

    private mutating func tell(_ obstacle: String?, working: String = "") {
        if let line = told.line(obstacle, working: working) { Output.note("coffer: \(VisibleText.sentence(line))") }
    }

    /// - Returns: why there is nothing more to do; nil if there is.
    private mutating func carry() -> String? {
        let begin = ContinuousClock.now
        let outcome: CarryingPlan.Outcome
        var wanted: Int64?
        do {
            if let end = try exchange() { return end }
            outcome = .carried
        } catch let error as KeychainError {
            tell(error.code == .locked ? Self.locked : error.description)
            outcome = error.code == .locked ? .locked : Self.isAbsent(error) ? .unheard : .failed
        } catch let failure as CommandFailure {
            tell("\(failure.message); \(failure.advice)")
            outcome = .failed
            wanted = failure.retryAfter
        } catch {
            tell("\(error)")
            outcome = .failed
        }
        if case .unheard = outcome { events = nil }
        plan.ended(
            outcome, after: .now - begin, at: .now, spread: .random(in: 0..<1), isRemote: kept != nil,
            wanted: wanted.map { .seconds($0) })
        // It does nothing for minutes now.
        Heap.trim()
        return nil
    }

    private static let locked = "the vault is locked; changes travel once it is open"

    private mutating func exchange() throws -> String? {
        let state = try Sharing.presentState(session)
        guard state.circle != nil else { return Sharing.notShared(isRequested: state.requested).description }
        guard state.joined, let device = try Sharing.own(of: state.machines) else { return Sharing.removed.description }
        let circle = try Sharing.name(of: state)
        let folder = try folder(of: circle)
        own = Hex.encode(device.bytes)
        // Before the exchange: what comes in the midst of it is noticed.
        watch(folder.store, circle, state.machines)
        let outcome = try Sharing(session: session, circle: circle, folder: folder).carry()
        try folder.publish()
        tell(nil, working: "changes travel through \(ShellText.quote(folder.path))")
        let warnings = SharingText.warnings(outcome)
        if warnings != warned { warnings.forEach(Output.note) }
        warned = warnings
        guard outcome.taken > 0 else { return nil }
        // What was taken in can be this machine's removal.
        return try Sharing.presentState(session).joined ? nil : Sharing.removed.description
    }

    /// The folder, with what the machines share in it. An empty one can be the place of a disk that is not there, and would
    /// get all that this machine ever gave out.
    private mutating func folder(of circle: StatementName) throws -> SharedFolder {
        let content: SharingSetting.Content?
        if case .read(circle, let known) = place {
            content = known
        } else {
            content = try SharingSetting(of: circle, session).content(asks: false)
            place = .read(circle, content)
            arrivals = try ArrivalWatch()
            kept = nil
        }
        guard let content else { throw Sharing.folderUnknown }
        let path = content.folder
        let folder = try kept ?? StoreOpening(session: session).known(content, asks: false, isService: true)
        if content.remote != nil { kept = folder }
        // `try?`: what cannot be watched is looked at from time to time. The person's own folder can be a link.
        if !folder.isFar { try? arrivals.add("\(folder.path)/.") }
        let failure = try folder.refresh()
        guard try folder.holds(circle) else {
            if let failure { throw failure }
            throw CommandFailure(
                code: "folder-empty", message: "\(ShellText.quote(path)) has nothing of what your machines share",
                advice: "if it lies on a disk, connect that; if it was emptied, run: coffer sync now", status: .notFound
            )
        }
        return folder
    }

    /// Watches what there is. What cannot be watched is looked at from time to time.
    private func watch(_ store: any SharedStore, _ circle: StatementName, _ machines: [Sync.Machine]) {
        let others = machines.filter { !$0.own }.compactMap { WriterID(bytes: Hex.decode($0.device) ?? []) }
        // `try?`: see above. The exchange says what is wrong with a folder.
        for path in (try? store.places(of: circle, devices: others)) ?? [] { try? arrivals.add(path) }
    }
}
