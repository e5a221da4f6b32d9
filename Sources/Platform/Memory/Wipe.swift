import Glibc

/// Overwrites secret bytes.
public enum Wipe {
    /// Zeroes an array in place. The optimiser does not remove this.
    public static func bytes(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
        }
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
