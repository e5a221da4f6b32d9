import Glibc
import Platform
import Synchronization

/// A bell that another thread can ring once. It ends a wait for the bus.
public final class Wake: Sendable {
    private let reading: Descriptor
    private let writing: Mutex<Descriptor?>
    private let rung = Atomic(false)

    /// - Throws: ``BusError`` if no descriptor is left.
    public init() throws(BusError) {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &pair) == 0 else {
            throw BusError("make a pair of sockets", code: -Glibc.errno)
        }
        reading = Descriptor(adopting: pair[0])
        writing = Mutex(Descriptor(adopting: pair[1]))
    }

    public var isRung: Bool { rung.load(ordering: .acquiring) }

    /// Rings the bell. A second ring does nothing.
    public func ring() {
        rung.store(true, ordering: .releasing)
        // The other end becomes readable when this one is closed.
        writing.withLock { $0 = nil }
    }

    /// Waits on the calling thread.
    /// - Returns: whether the bell was rung in time.
    public func wait(_ duration: Duration) -> Bool {
        // If waiting fails, `isRung` still gives the right answer.
        _ = try? reading.waitToRead(until: .now + duration)
        return isRung
    }

    var descriptor: Int32 { reading.number }
}
