import Glibc

/// Overwrites bytes that were secret.
public enum Wipe {
    /// Zeroes an array in place, in a way that the optimiser keeps.
    public static func bytes(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
        }
    }

    /// Zeroes the memory that a collection lies in, also if others hold it, too: for bytes that were read from outside and that nobody may read again.
    /// To change a shared array or buffer by its own means would change a copy, and leave the bytes where they are.
    public static func storage(of bytes: some Collection<UInt8>) {
        bytes.withContiguousStorageIfAvailable { buffer in
            if let start = buffer.baseAddress {
                unsafe explicit_bzero(UnsafeMutablePointer(mutating: start), buffer.count)
            }
        }
    }
}
