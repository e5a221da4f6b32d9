import Coffer
import FoundationEssentials
import Synchronization

/// What a call knows besides its parameters.
struct MemoryCall {
    /// Milliseconds since 1970-01-01 UTC.
    let now: Int64
    /// The enrolled fingers.
    let fingers: Int
    let biometrics: Biometrics
    /// Whether the user's own vault is open.
    let isOwnOpen: Bool
    /// The question that a person has answered for this call.
    let answered: Question?

    /// Whether a person has to be asked first.
    func asks(_ question: Question) -> Bool { !question.isEmpty && !(answered?.covers(question) ?? false) }

    /// A group's vault is open to members only while their own vault is open.
    func checkOwn(_ vault: MemoryVault) throws(KeychainError) {
        guard case .group = vault.name, !isOwnOpen else { return }
        throw KeychainError(
            .locked, "your own vault is locked, and a group's vault is open only while yours is",
            advice: "open yours with: coffer unlock")
    }
}

/// What a call comes to: a result, or a question to a person that comes first.
enum MemoryStep<Value: Sendable>: Sendable {
    case done(Value, events: [KeychainEvent] = [])
    case question(Question)
}

extension InMemoryKeychain.Content {
    /// - Throws: `.notFound` for a group without a vault or without the user; `.notPermitted` for an account.
    func vault(_ name: VaultName, makes: Bool) throws(KeychainError) -> MemoryVault {
        switch (vaults[name], name) {
        case (let vault?, .group) where vault.state == .none && !makes: break
        case (let vault?, _): return vault
        case (nil, .account):
            throw KeychainError(.notPermitted, "only root may name another account's vault")
        case (nil, _): break
        }
        throw KeychainError(
            .notFound, "there is no such vault for you: the group, its vault, or your membership is missing",
            advice: "list your groups with: id -Gn \"$USER\"")
    }

    mutating func put(_ vault: MemoryVault, _ events: [KeychainEvent]) {
        vaults[vault.name] = vault
        readers.removeAll { $0.queue == nil }
        for event in events {
            for reader in readers { reader.queue?.add(event, in: vault.name) }
        }
    }
}

extension InMemoryKeychain {
    /// Makes a call that asks nobody.
    func perform<Value: Sendable>(
        in name: VaultName, makes: Bool = false,
        _ body: (inout MemoryVault, MemoryCall) throws(KeychainError) -> (Value, [KeychainEvent])
    ) throws(KeychainError) -> Value {
        let step = try step(in: name, makes: makes, answered: nil) { (vault, call) throws(KeychainError) in
            let (value, events) = try body(&vault, call)
            return .done(value, events: events)
        }
        guard case .done(let value, _) = step else { throw .requestIsOutdated }
        return value
    }

    /// Makes a call that may need a person. The body runs again after the person has answered.
    /// - Parameters:
    ///   - makes: whether the call makes the vault if there is none.
    ///   - sharing: is told while a person is asked.
    func perform<Value: Sendable>(
        in name: VaultName, makes: Bool = false, prompts: Prompts, sharing: SharedReads.Asking? = nil,
        _ body: (inout MemoryVault, MemoryCall) throws(KeychainError) -> MemoryStep<Value>
    ) async throws(KeychainError) -> Value {
        if Task.isCancelled { throw .cancelledByTask }
        switch try step(in: name, makes: makes, answered: nil, body) {
        case .done(let value, _): return value
        case .question(let question):
            sharing?.begin()
            try await questioner.ask(question, by: prompts)
            sharing?.end()
            if Task.isCancelled { throw .cancelledByTask }
            if question.opens { try open(name) }
            guard case .done(let value, _) = try step(in: name, makes: makes, answered: question, body) else {
                throw .requestIsOutdated
            }
            return value
        }
    }

    private func step<Value: Sendable>(
        in name: VaultName, makes: Bool, answered: Question?,
        _ body: (inout MemoryVault, MemoryCall) throws(KeychainError) -> MemoryStep<Value>
    ) throws(KeychainError) -> MemoryStep<Value> {
        let now = clock().milliseconds
        return try content.withLock { (content) throws(KeychainError) in
            var vault = try content.vault(name, makes: makes)
            let call = MemoryCall(
                now: now, fingers: content.fingers, biometrics: fingers,
                isOwnOpen: content.vaults[.own]?.state == .unlocked, answered: answered)
            let step = try body(&vault, call)
            // Only a call that succeeds changes the vault.
            if case .done(_, let events) = step { content.put(vault, events) }
            return step
        }
    }

    private func open(_ name: VaultName) throws(KeychainError) {
        try perform(in: name, makes: true) { (vault, _) in
            guard vault.state != .unlocked else { return ((), []) }
            vault.state = .unlocked
            return ((), [.unlocked])
        }
    }
}
