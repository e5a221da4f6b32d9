import Glibc

/// Overwrites secret bytes.
public enum Wipe {
    /// Zeroes an array in place. The optimiser does not remove this.
    public static func bytes(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
        }
    }

    /// Appends bytes, and leaves nothing in the buffer's former memory if it needs more: it may hold a secret.
    public static func append(_ more: some Collection<UInt8>, to buffer: inout [UInt8]) {
        makeRoom(for: more.count, in: &buffer)
        buffer.append(contentsOf: more)
    }

    /// Moves a buffer to larger memory if so many bytes more do not fit, and overwrites the former memory.
    public static func makeRoom(for count: Int, in buffer: inout [UInt8]) {
        guard buffer.capacity - buffer.count < count else { return }
        var larger: [UInt8] = []
        larger.reserveCapacity(max(buffer.count + count, buffer.capacity * 2))
        larger.append(contentsOf: buffer)
        bytes(&buffer)
        buffer = larger
    }

    /// Zeroes the memory of a collection in place, even if other values share it. Use it for bytes that came from outside and that nobody may read
    /// again. Changing a shared array or buffer in the usual way would change a copy and leave the bytes where they are.
    public static func storage(of bytes: some Collection<UInt8>) {
        bytes.withContiguousStorageIfAvailable { buffer in
            if let start = buffer.baseAddress {
                unsafe explicit_bzero(UnsafeMutablePointer(mutating: start), buffer.count)
            }
        }
    }
}
