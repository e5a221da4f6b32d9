import Cryptography

/// The open sessions. Each belongs to the connection that opened it, and ends with it.
struct BusSessionTable {
    private var sessions: [String: BusSession] = [:]
    private var owned: [String: Set<String>] = [:]
    private var lastNumber: UInt64 = 0
    /// Another provider, before or after this one, has other paths. A client that holds an old path would use it with the wrong key.
    private let run = ProviderRun.name()

    /// - Throws: an error if the client, or all clients, have too many.
    mutating func open(owner: String, key: SecretBytes?) throws(ServiceError) -> BusSession {
        let own = owned[owner]?.count ?? 0
        guard own < ObjectLimits.sessionsOfClient else {
            throw .limit("this client has \(ObjectLimits.sessionsOfClient) open sessions; close some with Close")
        }
        guard own < ObjectLimits.sessionShare || sessions.count < ObjectLimits.sessions else {
            throw .limit("there are too many open sessions")
        }
        lastNumber += 1
        let session = BusSession(id: "s\(run)_\(lastNumber)", owner: owner, key: key)
        sessions[session.id] = session
        owned[owner, default: []].insert(session.id)
        return session
    }

    /// - Throws: the same error for a session that is closed and for another client's.
    func session(_ path: String, of owner: String) throws(ServiceError) -> BusSession {
        guard case .session(let id) = ObjectPath(path), let session = sessions[id], session.owner == owner else {
            throw .sessionGone
        }
        return session
    }

    func contains(_ id: String) -> Bool { sessions[id] != nil }

    mutating func close(_ session: BusSession) {
        sessions[session.id] = nil
        owned[session.owner]?.remove(session.id)
        if owned[session.owner]?.isEmpty == true { owned[session.owner] = nil }
    }

    mutating func closeAll(of owner: String) {
        for id in owned.removeValue(forKey: owner) ?? [] { sessions[id] = nil }
    }

    var ids: [String] { sessions.keys.sorted() }
}
