import Glibc

/// Overwrites bytes that were secret.
public enum Wipe {
    /// Zeroes an array in place, in a way that the optimiser keeps.
    public static func bytes(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
        }
    }
}
