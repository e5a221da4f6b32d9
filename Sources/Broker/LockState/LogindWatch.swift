import Dispatch
import Logging
import Platform
import Synchronization
import SystemBus

/// Listens to logind while the broker runs, on a thread of its own, and locks vaults on its signals. It never
/// unlocks.
final class LogindWatch: Sendable {
    /// What is known about the connection.
    private struct State {
        var holdsSleep = false
        /// Counts connections. The time limit after a loss uses it to tell if there was a new connection since.
        var connections = 0
        /// The last trouble that was logged. The same trouble is logged once.
        var trouble: String?
        var uniqueName: String?
    }

    private let address: String
    private let targets: LockTargets
    private let connection: ConnectionFlag
    private let screens: LockedScreens
    private let clock: BrokerClock
    private let logger: Logger
    private let wake: Wake
    private let patience: Duration
    private let state = Mutex(State())

    init(
        address: String, targets: LockTargets, connection: ConnectionFlag = ConnectionFlag(),
        screens: LockedScreens? = nil, clock: BrokerClock, logger: Logger, patience: Duration = Bus.patience
    ) throws(BusError) {
        self.address = address
        self.targets = targets
        self.connection = connection
        self.screens = screens ?? LockedScreens(clock: clock)
        self.clock = clock
        self.logger = logger
        self.wake = try Wake()
        self.patience = patience
    }

    var isConnected: Bool { connection.isUp }
    /// Whether the machine waits until the keys are wiped before it sleeps.
    var holdsSleep: Bool { state.withLock { $0.holdsSleep } }
    var isInTrouble: Bool { state.withLock { $0.trouble != nil } }
    /// This connection's name on the bus.
    var uniqueName: String? { state.withLock { $0.uniqueName } }

    /// Begins to listen, and returns at once.
    func start() {
        DispatchQueue(label: "coffer.logind").async { self.run() }
    }

    func stop() { wake.ring() }

    private func run() {
        var pause = LockLimits.firstPause
        while !wake.isRung {
            do throws(BusError) { try listen() } catch {
                if lost(error) { pause = LockLimits.firstPause }
                if wake.wait(pause) { return }
                pause = min(pause * 2, LockLimits.longestPause)
            }
        }
    }

    /// Listens over one connection until it ends.
    private func listen() throws(BusError) {
        let logind = try Logind(address: address, patience: patience)
        var sessions = SessionTable()
        // It is released with this connection, however that ends.
        var inhibition = SleepInhibition()
        takeInhibitor(logind, &inhibition)
        // Signals arrive from here on, so a change during these first queries is heard afterwards.
        if try logind.isPreparingForSleep() {
            targets.lockAll()
            advanceEpoch()
            inhibition.release()
        }
        for session in try logind.sessions() {
            // `try?`: a session that has gone meanwhile, or hides its hint, may be locked.
            let description = (try? logind.describe(session: session.path)) ?? SessionDescription()
            perform(sessions.add(session.path, description, uid: session.uid), logind, &inhibition)
        }
        noteInhibitor(inhibition.isHeld)
        screens.set(sessions.lockedScreens)
        try connected(as: logind.uniqueName())
        while !wake.isRung {
            guard let events = try logind.next(or: wake, until: inhibition.due) else {
                if !wake.isRung { takeInhibitor(logind, &inhibition) }
                continue
            }
            for event in events {
                logger.debug("logind: \(event)")
                take(event, logind, &sessions, &inhibition)
            }
        }
    }

    private func take(
        _ event: LogindEvent, _ logind: borrowing Logind, _ sessions: inout SessionTable,
        _ inhibition: inout SleepInhibition
    ) {
        switch event {
        case .sessionNew(let path), .lock(let path), .lockedHint(let path, true), .idleHint(let path, _):
            // `try?`: a session that has already ended has nothing to tell.
            if !sessions.knows(path), let description = try? logind.describe(session: path) {
                let actions = sessions.add(path, description)
                screens.set(sessions.lockedScreens)
                perform(actions, logind, &inhibition)
            }
        case .lockedHint(_, false), .unlock, .sessionRemoved, .sleep: break
        }
        let actions = sessions.actions(for: event)
        // The screens are set before the lock. A login reported in between is refused, or the lock drops its
        // challenge.
        screens.set(sessions.lockedScreens)
        perform(actions, logind, &inhibition)
    }

    /// Performs the actions in order. A lock has wiped the keys before the next action begins.
    private func perform(
        _ actions: [SessionTable.Action], _ logind: borrowing Logind, _ inhibition: inout SleepInhibition
    ) {
        for action in actions {
            switch action {
            case .lock(let uid): targets.lock(uid)
            case .lockAll: targets.lockAll()
            case .idle(let uid, let isIdle): targets.idle(uid, isIdle)
            case .takeInhibitor: takeInhibitor(logind, &inhibition)
            case .releaseInhibitor:
                advanceEpoch()
                inhibition.release()
                noteInhibitor(false)
            }
        }
    }

    /// All keys are gone, and the machine is about to sleep. The TPM first counts what was written. Only this class
    /// uses this thread, so it may block for a task that is sure to end.
    private func advanceEpoch() {
        let done = DispatchSemaphore(value: 0)
        Task { [targets] in
            await targets.advanceEpoch()
            done.signal()
        }
        done.wait()
    }

    /// A failure is logged once, and tried again as long as the inhibitor is wanted.
    private func takeInhibitor(_ logind: borrowing Logind, _ inhibition: inout SleepInhibition) {
        let isAgain = inhibition.due != nil
        do throws(BusError) { try inhibition.take(logind) } catch {
            logger.log(level: isAgain ? .debug : .warning, "the machine may sleep before keys are wiped: \(error)")
        }
        noteInhibitor(inhibition.isHeld)
    }

    private func noteInhibitor(_ isHeld: Bool) {
        state.withLock { $0.holdsSleep = isHeld }
        logger.debug("logind: sleep is \(isHeld ? "held until keys are wiped" : "not held")")
    }

    private func connected(as name: String) {
        state.withLock { state in
            state.connections += 1
            state.trouble = nil
            state.uniqueName = name
        }
        connection.set(true)
        logger.notice("logind is heard: screen locks, sleep and logout lock vaults")
    }

    /// - Returns: whether there was a connection until now.
    private func lost(_ error: BusError) -> Bool {
        let (wasConnected, isNew, connections) = state.withLock { state in
            let before = (connection.isUp, state.trouble == nil, state.connections)
            state.holdsSleep = false
            state.trouble = error.description
            return before
        }
        connection.set(false)
        screens.set(nil)
        if isNew { logger.warning("logind is not heard, so screen locks and sleep lock nothing: \(error)") }
        guard wasConnected else { return false }
        clock.after(LockLimits.grace) { [weak self] in
            guard let self, self.state.withLock({ $0.connections == connections }) else { return }
            self.logger.warning("logind was not heard for \(LockLimits.grace): all vaults are locked")
            self.targets.lockAll()
        }
        return true
    }
}
