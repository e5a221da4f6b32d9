import CofferClient
import Synchronization
import SystemBus

/// Methods of `org.freedesktop.Secret.Prompt`, and how a person is asked.
extension Provider {
    func prompt(_ call: BusCall, _ id: String, _ client: BusClient) throws(ServiceError) -> [BusValue] {
        guard let prompt = prompts[id], prompt.owner == client.name else { throw .noObject(call.path) }
        guard call.member == "Prompt" else {
            finish(id, nil)
            return []
        }
        guard prompt.task == nil else {
            throw ServiceError(BusErrorName.failed, "the person is being asked already")
        }
        prompts.begin(
            id,
            Task {
                do throws(ServiceError) {
                    let result = try await prompt.action()
                    obstacles.promptWorked(for: client)
                    finish(id, result)
                } catch {
                    // Completed has no room for a reason. A person who has cancelled knows it.
                    if error.cause != .cancelled {
                        obstacles.promptFailed(error.message, for: client)
                        report(error, client)
                    }
                    finish(id, nil)
                }
            })
        return []
    }

    /// - Parameter result: nil if nothing was done.
    func finish(_ id: String, _ result: BusValue?) {
        guard let prompt = prompts.remove(id) else { return }
        prompt.task?.cancel()
        server.emit(
            "Completed", of: ServiceName.prompt, at: prompt.path,
            [.flag(result == nil), .variant(result ?? prompt.dismissed)], to: prompt.owner)
    }

    /// Opens the vault, or makes it. A wrong answer is asked for again.
    func openVault(for client: BusClient) async throws(ServiceError) {
        let backend = backend
        let prompts = Prompts.automatic.announcing(client.sentence)
        do throws(KeychainError) {
            try await askingPerson(within: asking.unlocking, opensVault: true) { () async throws(KeychainError) in
                // Another client's prompt may have opened it meanwhile.
                if try await backend.status(of: .own).state == .unlocked { return }
                try await backend.unlock(.own, prompts: prompts)
            }
        } catch {
            // Opened elsewhere, which ends the question. A client that has dismissed it is not to be served.
            if !Task.isCancelled { await refreshState() }
            guard state == .unlocked, !Task.isCancelled, !isLeaving else {
                throw ServiceError(error, wayOut: .unlocking)
            }
        }
        // It may have been locked again meanwhile.
        await refreshState()
        guard state == .unlocked else { throw locked(for: client) }
    }

    /// The error of a call that needs an open vault.
    func locked(for client: BusClient) -> ServiceError { .locked(obstacles.ofPrompt(for: client)) }

    /// Says why a program did not get what it asked for, because most programs do not show it.
    func report(_ error: ServiceError, _ client: BusClient) {
        let reason = VisibleText.sentence(String(error.logged.trimmingPrefix(ServiceError.product)))
        switch obstacles.isNew(reason, for: client) {
        case .new: logger.warning("\(client.loggedProgram) (process \(client.process)) got nothing: \(reason)")
        case .last: logger.warning("more programs got nothing; further reasons are in: coffer log")
        case .known: break
        }
    }

    /// Runs a call that asks a person, when it is this call's turn. A wrong answer is asked for again.
    /// - Parameters:
    ///   - limit: how long the person has, together with the time before them.
    ///   - opensVault: whether the question ends when the vault is opened in another way.
    func askingPerson<Value: Sendable>(
        within limit: Duration, opensVault: Bool = false,
        _ call: @escaping @Sendable () async throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        guard limit > .zero else { throw .nobodyAnswered }
        let tries = asking.tries
        let turn = asksTurn
        let task = Task { () async -> Result<Value, KeychainError>? in
            // The closure throws nothing: what fails is the result.
            try? await turn.run { () async throws(ServiceError) in
                var result = Result<Value, KeychainError>.failure(.cancelledByPerson)
                for _ in 0..<tries {
                    do throws(KeychainError) { return .success(try await call()) } catch { result = .failure(error) }
                    guard case .failure(let error) = result, error.code == .wrongPassword, !Task.isCancelled else {
                        break
                    }
                }
                return result
            }
        }
        let number = questions.begin(opensVault: opensVault) { task.cancel() }
        defer { questions.end(number) }
        if isLeaving { task.cancel() }
        let isLate = Late()
        let timer = Task {
            try await Task.sleep(for: limit)
            isLate.happens()
            task.cancel()
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        timer.cancel()
        if case .success(let value) = result { return value }
        guard !isLeaving else {
            throw KeychainError(.cancelled, "another program has become the Secret Service", advice: "try again")
        }
        guard !isLate.happened else {
            throw .nobodyAnswered
        }
        guard case .failure(let error) = result else { throw .cancelledByPerson }
        throw error
    }
}

extension KeychainError {
    fileprivate static let nobodyAnswered = KeychainError(.timedOut, "nobody answered in time", advice: "try again")
}

/// Whether a time limit was reached.
private final class Late: Sendable {
    private let state = Atomic(false)
    var happened: Bool { state.load(ordering: .acquiring) }
    func happens() { state.store(true, ordering: .releasing) }
}
