/// Which sessions a finger is taken from: a person's own, at a seat of this machine, in front, and not locked.
enum SeatRule {
    /// The program belongs to a session.
    static func check(session: SessionFacts, of uid: UInt32) throws(BiometryObstacle) {
        guard session.uid == uid, session.isPersons else { throw .noSession }
        if session.isRemote || !session.hasSeat { throw .remoteSession }
        if session.isLocked { throw .lockedSession }
        if !session.isActive { throw .inactiveSession }
    }

    /// The program belongs to none: the user's service manager runs it, and any of the user's sessions may have told it to. So every one of them has to be
    /// at this machine and not locked, and one of them in front.
    static func check(sessions: [SessionFacts], of uid: UInt32) throws(BiometryObstacle) {
        let persons = sessions.filter { $0.uid == uid && $0.isPersons }
        guard !persons.isEmpty else { throw .noSession }
        if persons.contains(where: { $0.isRemote || !$0.hasSeat }) { throw .remoteSession }
        if persons.contains(where: \.isLocked) { throw .lockedSession }
        if !persons.contains(where: \.isActive) { throw .inactiveSession }
    }
}
