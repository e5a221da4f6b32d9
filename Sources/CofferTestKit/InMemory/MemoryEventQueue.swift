import Coffer
import Synchronization

/// The events that wait for one reader. A reader that is too slow is told so, and holds nobody up.
final class MemoryEventQueue: Sendable {
    /// nil: all services.
    private let service: String?
    /// nil: all classes but settings.
    private let itemClass: ItemClass?
    private let vault: VaultName
    private let state = Mutex(State())

    private struct State {
        var events: [KeychainEvent] = []
        var reader: CheckedContinuation<KeychainEvent?, any Error>?
        var hasEnded = false
        /// Why it has ended; nil if its reader wanted it.
        var failure: KeychainError?
    }

    init(service: String?, itemClass: ItemClass? = nil, in vault: VaultName) {
        self.service = service
        self.itemClass = itemClass
        self.vault = vault
    }

    func add(_ event: KeychainEvent, in vault: VaultName) {
        guard vault == self.vault, concerns(event) else { return }
        let reader = state.withLock { state -> CheckedContinuation<KeychainEvent?, any Error>? in
            if let reader = state.reader.take() { return reader }
            if state.events.count < MemoryLimits.events {
                state.events.append(event)
            } else {
                state.events = [.missed]
            }
            return nil
        }
        reader?.resume(returning: event)
    }

    /// Whether its reader wants no more.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Ends the events that were not read yet, too, as the end of a connection does.
    func end(throwing failure: KeychainError) {
        let reader = state.withLock { state in
            state.events = []
            state.hasEnded = true
            state.failure = failure
            return state.reader.take()
        }
        reader?.resume(throwing: failure)
    }

    /// The next event; nil when the reader's task is cancelled.
    func next() async throws -> KeychainEvent? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let next = state.withLock { state -> Result<KeychainEvent?, any Error>? in
                    if let failure = state.failure { return .failure(failure) }
                    if state.hasEnded { return .success(nil) }
                    if !state.events.isEmpty { return .success(state.events.removeFirst()) }
                    state.reader = continuation
                    return nil
                }
                if let next { continuation.resume(with: next) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.hasEnded = true
                return state.reader.take()
            }
            reader?.resume(returning: nil)
        }
    }

    private func concerns(_ event: KeychainEvent) -> Bool {
        switch event {
        case .added(let item), .updated(let item), .deleted(let item):
            guard item.name.itemClass.isFound(by: itemClass) else { return false }
            return service.map { item.service.utf8.elementsEqual($0.utf8) } ?? true
        case .locked, .unlocked, .sharing, .missed: return true
        }
    }
}
