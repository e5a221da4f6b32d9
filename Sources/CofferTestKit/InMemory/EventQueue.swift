import Coffer
import Synchronization

/// The events that wait for one reader. A reader that is too slow is told so, and holds nobody up.
final class EventQueue: Sendable {
    /// nil: all services.
    private let service: String?
    private let vault: VaultName
    private let state = Mutex(State())

    private struct State {
        var events: [KeychainEvent] = []
        var reader: CheckedContinuation<KeychainEvent?, Never>?
        var hasEnded = false
    }

    init(service: String?, in vault: VaultName) {
        self.service = service
        self.vault = vault
    }

    func add(_ event: KeychainEvent, in vault: VaultName) {
        guard vault == self.vault, concerns(event) else { return }
        let reader = state.withLock { state -> CheckedContinuation<KeychainEvent?, Never>? in
            if let reader = state.reader.take() { return reader }
            if state.events.count < ItemLimits.events {
                state.events.append(event)
            } else {
                state.events = [.missed]
            }
            return nil
        }
        reader?.resume(returning: event)
    }

    /// The next event; nil when the reader's task is cancelled.
    func next() async -> KeychainEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let next = state.withLock { state -> KeychainEvent?? in
                    if state.hasEnded { return .some(nil) }
                    if !state.events.isEmpty { return .some(state.events.removeFirst()) }
                    state.reader = continuation
                    return nil
                }
                if let next { continuation.resume(returning: next) }
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
        guard let service else { return true }
        switch event {
        case .added(let item), .updated(let item), .deleted(let item):
            return item.service.utf8.elementsEqual(service.utf8)
        case .locked, .unlocked, .missed: return true
        }
    }
}
