import Dispatch
import Logging
import Platform
import Synchronization
import SystemBus

/// Hears logind for as long as the broker runs, on a thread of its own, and locks what it says is to be locked. It never unlocks.
final class LogindWatch: Sendable {
    /// What is known about the connection.
    private struct State {
        var holdsSleep = false
        /// Counts connections, so that a time limit that began at a loss knows whether there was one since.
        var connections = 0
        /// What was logged last; the same trouble is logged once.
        var trouble: String?
        var uniqueName: String?
    }

    /// How long vaults stay open after logind was lost.
    static let grace = Duration.seconds(60)
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(60)

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
    /// Whether the machine waits for the wipe before it sleeps.
    var holdsSleep: Bool { state.withLock { $0.holdsSleep } }
    var isInTrouble: Bool { state.withLock { $0.trouble != nil } }
    /// This connection's name on the bus.
    var uniqueName: String? { state.withLock { $0.uniqueName } }

    /// Begins to listen; returns at once.
    func start() {
        DispatchQueue(label: "coffer.logind").async { self.run() }
    }

    func stop() { wake.ring() }

    private func run() {
        var pause = Self.firstPause
        while !wake.isRung {
            do throws(BusError) { try listen() } catch {
                if lost(error) { pause = Self.firstPause }
                if wake.wait(pause) { return }
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    /// One connection, from its first to its last moment.
    private func listen() throws(BusError) {
        let logind = try Logind(address: address, patience: patience)
        var sessions = SessionTable()
        // Released with this connection, whatever ends it.
        var inhibition = SleepInhibition()
        takeInhibitor(logind, &inhibition)
        // Listening has begun: what changes while the present is looked at is heard afterwards.
        if try logind.isPreparingForSleep() {
            targets.lockAll()
            advanceEpoch()
            inhibition.release()
        }
        for session in try logind.sessions() {
            // A session that has gone meanwhile, or hides its hint, may have been locked.
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
            // A session that has ended already has nothing to tell.
            if !sessions.knows(path), let description = try? logind.describe(session: path) {
                let actions = sessions.add(path, description)
                screens.set(sessions.lockedScreens)
                perform(actions, logind, &inhibition)
            }
        case .lockedHint(_, false), .unlock, .sessionRemoved, .sleep: break
        }
        let actions = sessions.actions(for: event)
        // Said before the lock: a login that is reported in between is refused, or its challenge goes with the lock.
        screens.set(sessions.lockedScreens)
        perform(actions, logind, &inhibition)
    }

    /// Does what follows. A lock has wiped before the next action is begun.
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

    /// All keys are gone, and the machine is about to sleep: what was written is counted first. This thread is nobody else's: it may wait for a task, which
    /// has an end.
    private func advanceEpoch() {
        let done = DispatchSemaphore(value: 0)
        Task { [targets] in
            await targets.advanceEpoch()
            done.signal()
        }
        done.wait()
    }

    /// What fails is logged once, and tried again for as long as the inhibitor is wanted.
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
        clock.after(Self.grace) { [weak self] in
            guard let self, self.state.withLock({ $0.connections == connections }) else { return }
            self.logger.warning("logind was not heard for \(Self.grace): all vaults are locked")
            self.targets.lockAll()
        }
        return true
    }
}
