import NIOCore
import Platform

/// Overwrites wire bytes that have done their work. Best effort by nature: what JSON and the allocator copied is dealt with by the heap that wipes on free
/// (the unit's GLIBC_TUNABLES).
enum Wiping {
    static func wipe(_ bytes: inout [UInt8]) { Wipe.bytes(&bytes) }

    /// Where it lies, whoever else holds it: a channel keeps the buffer that it has read into for the next time, which may not come.
    static func wipe(_ buffer: inout ByteBuffer) {
        buffer.moveReaderIndex(to: 0)
        Wipe.storage(of: buffer.readableBytesView)
    }
}
