import CLinux
import Glibc

/// Several descriptors that are waited for as one. Its own descriptor is readable as soon as one of them is readable or has been closed by its peer.
public struct PollGroup: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// - Parameter members: must stay open as long as the group is used.
    public init(_ members: [Int32]) throws(SystemError) {
        let group = Descriptor(adopting: try checked("wait for several descriptors") { coffer_poll_group() })
        let number = group.number
        for member in members {
            try checked("wait for several descriptors") { coffer_poll_group_add(number, member) }
        }
        descriptor = group
    }

    public var number: Int32 { descriptor.number }
}

/// A descriptor that becomes readable when another thread says so (eventfd(2)), and then stays so.
public final class WakeSignal: Sendable {
    private let descriptor: Descriptor

    public init() throws(SystemError) {
        descriptor = Descriptor(adopting: try checked("make a signal") { coffer_event_descriptor() })
    }

    public var number: Int32 { descriptor.number }

    public func raise() {
        var one: UInt64 = 1
        // This cannot fail: the counter has room for as many threads as there can be.
        _ = unsafe write(descriptor.number, &one, MemoryLayout<UInt64>.size)
    }
}
