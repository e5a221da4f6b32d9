import Dispatch
import Glibc
import Logging
import Platform
import Synchronization

/// Accepts connections from a listening socket, on a queue that does nothing else. A user who connects endlessly does
/// not delay other users' calls.
final class Acceptor: Sendable {
    /// nil once the socket is closed.
    private let listener: Mutex<UnixListener?>
    private let source: Mutex<any DispatchSourceRead>
    private let queue = DispatchQueue(label: "coffer.accept")
    private let logger: Logger
    /// Whether the present shortage of resources was logged.
    private let isShort = Mutex(false)

    /// How long accepting pauses after such a shortage. Connections wait in the kernel meanwhile.
    private static let rest = DispatchTimeInterval.milliseconds(200)

    /// - Parameter take: gets each connection. It runs on the accepting queue, so the next connection waits for it.
    init(
        _ listener: consuming UnixListener, logger: Logger, _ take: @escaping @Sendable (consuming Descriptor) -> Void
    ) throws(SystemError) {
        try listener.stopBlocking()
        source = Mutex(DispatchSource.makeReadSource(fileDescriptor: listener.number, queue: queue))
        self.listener = Mutex(listener)
        self.logger = logger
        source.withLock { source in
            source.setEventHandler { [weak self] in self?.accept(take) }
            source.activate()
        }
    }

    private func accept(_ take: (consuming Descriptor) -> Void) {
        do throws(SystemError) {
            // Until no connection waits, or accepting is stopped.
            while !source.withLock({ $0.isCancelled }) {
                guard let socket = try next() else { return }
                take(socket)
                isShort.withLock { $0 = false }
            }
        } catch {
            // No connection is left, or the client has gone.
            guard ![EAGAIN, EINTR, ECONNABORTED].contains(error.errno) else { return }
            let wasShort = isShort.withLock { isShort in
                defer { isShort = true }
                return isShort
            }
            if !wasShort { logger.error("a connection was not taken", metadata: ["reason": "\(error)"]) }
            source.withLock { $0.suspend() }
            queue.asyncAfter(deadline: .now() + Self.rest) { [self] in source.withLock { $0.resume() } }
        }
    }

    private func next() throws(SystemError) -> Descriptor? {
        try listener.withLock { (listener) throws(SystemError) in try listener?.accept() }
    }

    /// Stops accepting. Connections that wait stay with the kernel until the socket is closed.
    func stop() async {
        await withCheckedContinuation { continuation in
            source.withLock { source in
                source.setCancelHandler { continuation.resume() }
                source.cancel()
            }
        }
    }
    /// Closes the socket. Call this after ``stop()``, so that the next broker finds nobody who answers at its path.
    func close() { listener.withLock { $0 = nil } }
}
