import BrokerProtocol
import Item
import Synchronization
import Varlink

/// One reader's events of one vault, from the moment when it was made until its end. Adding an event never waits
/// for the reader.
final class EventSubscription: Sendable {
    private enum End {
        /// The reader has gone.
        case unread
        /// The reader is told this.
        case fault(Fault)
    }

    private struct State {
        var queue = EventQueue()
        /// The reader, if it waits for an event.
        var waiter: CheckedContinuation<Void, Never>?
        var end: End?

        var isReady: Bool { end != nil || !queue.isEmpty }
    }

    /// nil: items of all services.
    private let service: String?
    /// nil: items of all kinds but settings.
    private let kind: ItemKind?
    private let state = Mutex(State())
    private let release: @Sendable () -> Void

    /// - Parameter release: gives back what the reader takes. It is called once.
    init(service: String?, kind: ItemKind? = nil, release: @escaping @Sendable () -> Void) {
        self.service = service
        self.kind = kind
        self.release = release
    }

    deinit { end() }

    func add(_ events: [Keychain.Event]) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            for event in events where wants(event) { state.queue.add(event) }
            guard state.isReady else { return nil }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    private func wants(_ event: Keychain.Event) -> Bool {
        guard let item = event.item else { return true }
        return (service.map { item.service.utf8.elementsEqual($0.utf8) } ?? true)
            && item.kind.isFound(by: kind)
    }

    /// Waits for events. There is one reader.
    /// - Returns: the oldest ones, as many as fit into one reply; nil if the reader has gone.
    /// - Throws: the reason why there are no more.
    func next() async throws(Fault) -> [Keychain.Event]? {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if !state.isReady { state.waiter = continuation }
                return state.isReady
            }
            if isReady { continuation.resume() }
        }
        return try state.withLock { (state) throws(Fault) in
            switch state.end {
            case .unread: return nil
            case .fault(let fault): throw fault
            case nil: return state.queue.take()
            }
        }
    }

    /// Ends the events, drops those that were not taken, and gives everything back. Later calls do nothing.
    /// - Parameter fault: what the reader is told; nil if it has gone.
    func end(with fault: Fault? = nil) {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.end == nil else { return (false, nil) }
            state.end = fault.map { .fault($0) } ?? .unread
            state.queue = EventQueue()
            return (true, state.waiter.take())
        }
        guard isFirst else { return }
        release()
        waiter?.resume()
    }
}
