import NIOCore

/// Overwrites wire bytes that have done their work. Best effort by nature: what JSON and the allocator copied is dealt with by the heap that wipes on free
/// (the unit's GLIBC_TUNABLES).
enum Wiping {
    // Never inlined, so that the compiler cannot see that nobody reads the bytes again.
    @inline(never)
    static func wipe(_ bytes: inout [UInt8]) {
        for index in bytes.indices { bytes[index] = 0 }
    }

    /// In place where the caller holds the only reference, as after a finished write.
    @inline(never)
    static func wipe(_ buffer: inout ByteBuffer) {
        buffer.moveReaderIndex(to: 0)
        buffer.setRepeatingByte(0, count: buffer.writerIndex, at: 0)
    }
}
