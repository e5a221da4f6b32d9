import SystemBus

/// What writes change. Two that change the same thing follow each other.
enum WriteSubject: Hashable {
    /// An item, by its id on the bus.
    case item(String)
    /// The item that has exactly these attributes, or that will have them.
    case attributes([String: String], collection: String)
    /// The records of the collections and of their aliases.
    case records
    /// The secret of an application in a sandbox, by its id.
    case portalSecret(String)
}

/// Turns for writes of the same thing. Whoever writes something else has a turn of their own, so no program's write waits
/// for another program's. Nothing that the TPM must count happens in such a turn.
struct WriteTurns {
    private var turns: [WriteSubject: (turn: Turn, users: Int)] = [:]

    /// Whether nobody has a turn or waits for one.
    var isEmpty: Bool { turns.isEmpty }

    mutating func take(_ subject: WriteSubject) -> Turn {
        var entry = turns[subject] ?? (Turn(), 0)
        entry.users += 1
        turns[subject] = entry
        return entry.turn
    }

    mutating func giveBack(_ subject: WriteSubject) {
        guard var entry = turns[subject] else { return }
        entry.users -= 1
        turns[subject] = entry.users > 0 ? entry : nil
    }
}

extension Provider {
    /// Runs a write. What has begun goes on to its end, even if the client leaves or dismisses its prompt.
    /// - Parameter subject: what no other write may change meanwhile; nil if that does not matter.
    func inWriting<Value: Sendable>(
        of subject: WriteSubject? = nil, _ body: @escaping () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        // A task of its own, which nobody cancels.
        let task = Task { () async -> Result<Value?, ServiceError> in
            do throws(ServiceError) {
                guard let subject else { return .success(try await body()) }
                return .success(try await inTurn(of: subject, body))
            } catch { return .failure(error) }
        }
        guard let value = try await task.value.get() else {
            throw ServiceError(BusErrorName.failed, "the call was cancelled")
        }
        return value
    }

    /// Runs a part of a write while no other changes this.
    func inTurn<Value: Sendable>(
        of subject: WriteSubject, _ body: () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value? {
        let turn = writeTurns.take(subject)
        defer { writeTurns.giveBack(subject) }
        return try await turn.run(body)
    }
}
