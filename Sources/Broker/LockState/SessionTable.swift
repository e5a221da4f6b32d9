/// The known sessions, and what follows from an event, as in `docs/lock-state.md`. It uses no bus and no clock.
struct SessionTable: Sendable {
    /// An action to take, in the order of the list.
    enum Action: Sendable, Equatable {
        case lock(UInt32)
        case lockAll
        case takeInhibitor
        case releaseInhibitor
        /// All of the user's sessions are idle, or one of them is active again.
        case idle(UInt32, Bool)
    }

    private struct Session {
        let uid: UInt32
        let isPersons: Bool
        let isGraphical: Bool
        var isIdle: Bool
        var isLocked: Bool
    }

    private var sessions: [String: Session] = [:]

    /// The users with a locked graphical session. Only the session's hint ends this state.
    var lockedScreens: Set<UInt32> {
        Set(sessions.values.lazy.filter { $0.isLocked && $0.isGraphical }.map(\.uid))
    }

    func knows(_ path: String) -> Bool { sessions[path] != nil }

    /// Adds a session.
    /// - Parameter uid: the session's user, if the description does not name one.
    mutating func add(_ path: String, _ description: SessionDescription, uid: UInt32? = nil) -> [Action] {
        guard let uid = description.uid ?? uid else { return [] }
        // A session whose hint cannot be read may be locked.
        let isLocked = description.isLocked ?? true
        sessions[path] = Session(
            uid: uid, isPersons: description.isPersons, isGraphical: description.isGraphical,
            isIdle: description.isIdle ?? false, isLocked: isLocked)
        return (isLocked ? [.lock(uid)] : []) + idleness(of: uid)
    }

    mutating func actions(for event: LogindEvent) -> [Action] {
        switch event {
        case .lock(let path), .lockedHint(let path, true):
            sessions[path]?.isLocked = true
            // An unknown session may be anybody's, so all vaults are locked.
            return sessions[path].map { [.lock($0.uid)] } ?? [.lockAll]
        case .lockedHint(let path, false):
            sessions[path]?.isLocked = false
            // Any process of the user may have asked logind for this, or for the next: they never unlock.
            return []
        case .unlock: return []
        case .idleHint(let path, let isIdle):
            guard let uid = sessions[path]?.uid else { return [] }
            sessions[path]?.isIdle = isIdle
            return idleness(of: uid)
        case .sessionNew: return []
        case .sessionRemoved(let path):
            guard let session = sessions.removeValue(forKey: path) else { return [] }
            let isLast = !sessions.values.contains { $0.uid == session.uid && $0.isPersons }
            return (isLast ? [.lock(session.uid)] : []) + idleness(of: session.uid)
        case .sleep(true): return [.lockAll, .releaseInhibitor]
        case .sleep(false): return [.takeInhibitor]
        }
    }

    private func idleness(of uid: UInt32) -> [Action] {
        let persons = sessions.values.filter { $0.uid == uid && $0.isPersons }
        return [.idle(uid, !persons.isEmpty && persons.allSatisfy(\.isIdle))]
    }
}
