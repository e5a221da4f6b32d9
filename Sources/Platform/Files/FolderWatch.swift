import CLinux
import Glibc

/// Notices when files of a folder are replaced or removed (inotify(7)).
public final class FolderWatch: Sendable {
    /// What ended a wait.
    public enum Event: Sendable {
        /// A file of the folder may have changed.
        case change
        /// The folder itself was moved or removed. This value notices nothing more.
        case gone
        /// The deadline came first.
        case deadline
        /// ``stop()`` was called.
        case stopped
    }

    private let notices: Descriptor
    private let ending: Descriptor
    private let ended: Descriptor

    /// - Parameter path: an existing folder. A link in its place is refused.
    public init(_ path: String) throws(SystemError) {
        notices = Descriptor(adopting: try checked("watch \(path)") { unsafe coffer_watch_folder(path) })
        var ends: [Int32] = [-1, -1]
        try checked("make a pipe") { unsafe coffer_pipe(&ends) }
        ended = Descriptor(adopting: ends[0])
        ending = Descriptor(adopting: ends[1])
    }

    /// Ends the wait of another thread, and every later one. It may be called several times.
    public func stop() {
        // A full pipe has ended the wait already.
        var byte: UInt8 = 0
        _ = unsafe write(ending.number, &byte, 1)
    }

    /// Waits for the next event. Blocks the thread. Changes of the same moment are one event.
    public func next(until deadline: ContinuousClock.Instant?) throws(SystemError) -> Event {
        let ready = try Readiness.wait(
            for: [(ended.number, .input), (notices.number, .input)], until: deadline)
        if ready[0] { return .stopped }
        if !ready[1] { return .deadline }
        var isGone = false
        var bytes = [UInt8](repeating: 0, count: 4096)
        let header = MemoryLayout<inotify_event>.size
        while true {
            let count = unsafe read(notices.number, &bytes, bytes.count)
            guard count > 0 else { return isGone ? .gone : .change }
            // The kernel writes whole events: a header, and a name of the length that the header tells.
            var at = 0
            while at + header <= count {
                let event = unsafe bytes.withUnsafeBytes {
                    unsafe $0.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
                }
                if event.mask & coffer_folder_gone() != 0 { isGone = true }
                at += header + Int(event.len)
            }
        }
    }
}
