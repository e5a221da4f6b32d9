import NIOCore
import Platform

/// Overwrites message bytes after use. This cannot reach the copies made by JSON and the allocator. The heap wipes
/// those when they are freed (the unit's GLIBC_TUNABLES).
enum Wiping {
    static func wipe(_ bytes: inout [UInt8]) { Wipe.bytes(&bytes) }

    /// Wipes the memory in place, even if others hold it. A channel keeps its read buffer for a next read that may
    /// never come.
    static func wipe(_ buffer: inout ByteBuffer) {
        buffer.moveReaderIndex(to: 0)
        Wipe.storage(of: buffer.readableBytesView)
    }
}
