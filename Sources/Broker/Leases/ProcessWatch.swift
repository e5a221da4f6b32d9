import Dispatch
import Platform

/// Tells when a process has ended, by the kernel's handle of it.
final class ProcessWatch: Sendable {
    /// The handle is closed only after the source has let go of it.
    private final class Holder: Sendable {
        let process: HeldProcess
        init(_ process: consuming HeldProcess) { self.process = process }
    }

    // @unchecked Sendable: every method of a dispatch source can be called from any thread.
    private final class Source: @unchecked Sendable {
        let source: any DispatchSourceRead
        init(_ source: any DispatchSourceRead) { self.source = source }
    }

    private let source: Source

    /// - Parameter onEnd: called on another thread, and again and again until this watch is stopped.
    /// - Throws: `SystemError` if the process has ended already.
    init(_ process: ProcessIdentity, onEnd: @escaping @Sendable () -> Void) throws(SystemError) {
        let held = try HeldProcess(observing: process.pid)
        guard held.identity == process else {
            throw SystemError("find process \(process.pid)", reason: "its number is another process's now")
        }
        let holder = Holder(held)
        source = Source(DispatchSource.makeReadSource(fileDescriptor: holder.process.number, queue: .global()))
        source.source.setEventHandler(handler: onEnd)
        source.source.setCancelHandler { _ = holder }
        source.source.activate()
    }

    deinit { stop() }

    func stop() { source.source.cancel() }
}
