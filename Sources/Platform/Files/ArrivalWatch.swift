import CLinux
import Glibc

/// Notices that something new lies in one of several folders (inotify(7)).
///
/// On some file systems, such as those on networks, the kernel does not know what others do. Nothing is noticed there.
public final class ArrivalWatch: Sendable {
    private let notices: Descriptor

    public init() throws(SystemError) {
        notices = Descriptor(adopting: try checked("watch folders") { coffer_arrivals() })
    }

    /// The descriptor, for `poll`. It is readable when something may have arrived.
    public var number: Int32 { notices.number }

    /// Watches one more folder. A folder that is watched already stays so.
    /// - Parameter path: an existing folder. A link in its place is refused.
    public func add(_ path: String) throws(SystemError) {
        try checked("watch \(path)") { unsafe coffer_arrivals_watch(notices.number, path) }
    }

    /// Takes what was noticed.
    /// - Parameter isOurs: whether a name is left out. Hidden files always are: programs that carry files have them while
    ///   they write.
    /// - Returns: whether something arrived, or a folder is no longer there.
    public func take(without isOurs: (String) -> Bool) -> Bool {
        var hasArrived = false
        var bytes = [UInt8](repeating: 0, count: 4096)
        let header = MemoryLayout<inotify_event>.size
        while true {
            let count = unsafe read(notices.number, &bytes, bytes.count)
            guard count > 0 else { return hasArrived }
            // The kernel writes whole events: a header, and a name of the length that the header tells.
            var at = 0
            while at + header <= count {
                let event = unsafe bytes.withUnsafeBytes {
                    unsafe $0.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
                }
                let end = min(at + header + Int(event.len), count)
                let name = String(decoding: bytes[at + header..<end].prefix { $0 != 0 }, as: UTF8.self)
                at = end
                // Events about a folder itself, or about lost events, have no name.
                if name.isEmpty || !name.hasPrefix(".") && !isOurs(name) && coffer_arrival_counts(event.mask) != 0 {
                    hasArrived = true
                }
            }
        }
    }
}
