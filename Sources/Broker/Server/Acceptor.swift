import Dispatch
import Glibc
import Logging
import Platform
import Synchronization

/// Takes connections from a listening socket, on a queue of its own that does nothing else: whoever connects on and on keeps nobody else's calls waiting.
final class Acceptor: Sendable {
    private let listener: UnixListener
    private let source: Mutex<any DispatchSourceRead>
    private let queue = DispatchQueue(label: "coffer.accept")
    private let logger: Logger
    /// Whether it was said that the machine lacks what a connection takes.
    private let isShort = Mutex(false)

    /// How long the kernel keeps connections waiting where the machine lacks what they take.
    private static let rest = DispatchTimeInterval.milliseconds(200)

    /// - Parameter take: gets each connection; on the queue that takes the next one after it.
    init(
        _ listener: consuming UnixListener, logger: Logger, _ take: @escaping @Sendable (consuming Descriptor) -> Void
    ) throws(SystemError) {
        try listener.stopBlocking()
        self.listener = listener
        self.logger = logger
        source = Mutex(DispatchSource.makeReadSource(fileDescriptor: self.listener.number, queue: queue))
        source.withLock { source in
            source.setEventHandler { [weak self] in self?.accept(take) }
            source.activate()
        }
    }

    private func accept(_ take: (consuming Descriptor) -> Void) {
        do throws(SystemError) {
            // Until none waits, or the queue is asked to stop.
            while !source.withLock({ $0.isCancelled }) {
                take(try listener.accept())
                isShort.withLock { $0 = false }
            }
        } catch {
            // None is left, or the one that was has gone.
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

    /// Takes no more connections. Those that wait stay with the kernel.
    func stop() async {
        await withCheckedContinuation { continuation in
            source.withLock { source in
                source.setCancelHandler { continuation.resume() }
                source.cancel()
            }
        }
    }
}
