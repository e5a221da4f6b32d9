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
