import Platform
import SystemBus

/// Asks logind whether the person sits at this machine. Only then can a finger on the reader answer what is on the screen.
struct SeatCheck: ~Copyable {
    private static let noSession = "org.freedesktop.login1.NoSessionForPID"

    private let bus: Bus

    init(_ bus: consuming Bus) { self.bus = bus }

    /// - Throws: the obstacle; `unknown` if logind does not answer.
    func check(_ client: Client) throws(BiometryObstacle) {
        let facts: Facts
        do throws(BusError) { facts = try ask(about: client) } catch {
            throw .unknown("logind does not say who sits here (\(error))")
        }
        // logind answered for a process ID, which another process may have by now. A process that cannot be read has ended.
        guard (try? ProcessIdentity(observing: client.process.pid)) == client.process else {
            throw .unknown("the program that asked has ended")
        }
        if facts.isLidClosed { throw .lidClosed }
        if let session = facts.own {
            try SeatRule.check(session: session, of: client.account.uid)
        } else {
            try SeatRule.check(sessions: facts.all, of: client.account.uid)
        }
    }

    private struct Facts {
        let isLidClosed: Bool
        /// The session that the program belongs to; nil if it belongs to none.
        let own: SessionFacts?
        /// All sessions of the user, if the program belongs to none.
        let all: [SessionFacts]
    }

    private func ask(about client: Client) throws(BusError) -> Facts {
        let isLidClosed = try Login1.isSet("LidClosed", bus)
        if let session = try session(of: client.process.pid) {
            return Facts(isLidClosed: isLidClosed, own: try describe(session), all: [])
        }
        var all: [SessionFacts] = []
        for (path, uid) in try Login1.sessions(bus) where uid == client.account.uid { all.append(try describe(path)) }
        return Facts(isLidClosed: isLidClosed, own: nil, all: all)
    }

    /// - Returns: nil for a process that logind counts to no session. A user's service manager runs such processes, desktop terminals among them.
    private func session(of pid: Int32) throws(BusError) -> String? {
        do throws(BusError) {
            let answer = try bus.call(
                Login1.name, Login1.path, Login1.manager, "GetSessionByPID", values: [.number(UInt32(bitPattern: pid))])
            return try answer.text("o")
        } catch {
            guard error.name == Self.noSession else { throw error }
            return nil
        }
    }

    private func describe(_ path: String) throws(BusError) -> SessionFacts {
        try SessionFacts.read(Login1.describe(session: path, bus))
    }
}

/// Accepts a finger only from a person's own session that is at a seat of this machine, in front, and not locked.
enum SeatRule {
    /// Checks the session that the program belongs to.
    static func check(session: SessionFacts, of uid: UInt32) throws(BiometryObstacle) {
        guard session.uid == uid, session.isPersons else { throw .noSession }
        if session.isRemote || !session.hasSeat { throw .remoteSession }
        if session.isLocked { throw .lockedSession }
        if !session.isActive { throw .inactiveSession }
    }

    /// Checks all sessions of the user, because the user's service manager runs the program and any session may have started it. Each must be at this
    /// machine and not locked, and one must be in front.
    static func check(sessions: [SessionFacts], of uid: UInt32) throws(BiometryObstacle) {
        let persons = sessions.filter { $0.uid == uid && $0.isPersons }
        guard !persons.isEmpty else { throw .noSession }
        if persons.contains(where: { $0.isRemote || !$0.hasSeat }) { throw .remoteSession }
        if persons.contains(where: \.isLocked) { throw .lockedSession }
        if !persons.contains(where: \.isActive) { throw .inactiveSession }
    }
}

/// What a fingerprint check needs to know of a logind session. A property that logind does not give keeps the stricter default.
struct SessionFacts: Sendable, Equatable {
    var uid: UInt32?
    /// The class of people's sessions starts with "user". cron, greeters and the service manager have other classes.
    var isPersons = false
    var isRemote = true
    /// A session without a seat, such as a remote desktop's, has no screen of this machine.
    var hasSeat = false
    var isActive = false
    var isLocked = true

    /// Reads a D-Bus dictionary of properties.
    static func read(_ message: borrowing BusMessage) throws(BusError) -> SessionFacts {
        var facts = SessionFacts()
        guard try message.enter("a", "{sv}") else { return facts }
        while try message.enter("e", "sv") {
            switch try message.text() {
            case "User": facts.uid = try message.numberWithPath()
            case "Seat":
                guard try message.enter("v", "(so)"), try message.enter("r", "so") else { break }
                facts.hasSeat = !(try message.text()).isEmpty
                try message.skip("o")
                try message.leave()
                try message.leave()
            case "Class":
                guard try message.enter("v", "s") else { break }
                facts.isPersons = try message.text().hasPrefix("user")
                try message.leave()
            case "Remote": facts.isRemote = try message.flag() ?? true
            case "Active": facts.isActive = try message.flag() ?? false
            case "LockedHint": facts.isLocked = try message.flag() ?? true
            default: try message.skip("v")
            }
            try message.leave()
        }
        try message.leave()
        return facts
    }
}
