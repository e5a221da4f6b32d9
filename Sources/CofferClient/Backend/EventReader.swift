import BrokerProtocol
import Varlink

/// One reader of a vault's events, on a connection of its own.
///
/// `@unchecked`: the stream around it has one reader, who asks for one event after the other.
final class EventReader: @unchecked Sendable {
    typealias Replies = VarlinkReplies<Wire.InVault<Wire.Monitor>>

    private var iterator: Replies.Iterator
    private let path: String
    /// Events of a reply that were not asked for yet.
    private var pending: ArraySlice<KeychainEvent> = []

    /// Subscribes. Every event that happens from then on is read.
    init(_ method: Wire.InVault<Wire.Monitor>, paths: SocketPaths) async throws(KeychainError) {
        path = paths.broker
        do {
            let deadline = ContinuousClock.now + CallLimits.broker
            let connection = try await AsyncVarlinkConnection.connect(path: paths.broker, until: deadline)
            iterator = connection.replies(to: method, until: deadline).makeAsyncIterator()
            // The first reply says that the broker listens.
            guard let first = try await iterator.next() else { throw TransportFailure.broken("it ended the call") }
            pending = try first.events.map(KeychainEvent.init)[...]
        } catch { throw Self.translated(error, path) }
    }

    /// - Throws: ``KeychainError``. The stream has ended then.
    func next() async throws -> KeychainEvent? {
        do {
            while pending.isEmpty {
                guard let reply = try await iterator.next() else { return nil }
                pending = try reply.events.map(KeychainEvent.init)[...]
            }
        } catch is CancellationError {
            // The reader's task was cancelled, which ends a sequence and is no failure of it.
            return nil
        } catch { throw Self.translated(error, path) }
        return pending.removeFirst()
    }

    private static func translated(_ error: any Error, _ path: String) -> KeychainError {
        switch error {
        case let error as KeychainError: error
        case let fault as Fault: KeychainError(brokerFault: fault).forApplication
        case let failure as TransportFailure: KeychainError(broker: failure, path: path).forApplication
        default: .cancelledByTask
        }
    }
}

extension KeychainEvent {
    fileprivate init(_ wire: Wire.Event) throws(KeychainError) {
        let item = try wire.item.map { (item) throws(KeychainError) in try ItemAttributes(item) }
        switch (wire.event, item) {
        case (.added, let item?): self = .added(item)
        case (.updated, let item?): self = .updated(item)
        case (.deleted, let item?): self = .deleted(item)
        case (.locked, _): self = .locked
        case (.unlocked, _): self = .unlocked
        case (.sharing, _): self = .sharing
        // This version does not know the event, so the reader has to look at the items again.
        default: self = .missed
        }
    }
}
