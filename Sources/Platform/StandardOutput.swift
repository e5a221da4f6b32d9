import Glibc

/// Writes to this process's standard output and standard error.
public enum StandardOutput {
    /// Writes all bytes. Blocks the thread.
    public static func write(_ bytes: [UInt8]) throws(SystemError) { try write(bytes, to: STDOUT_FILENO) }

    /// Writes all bytes to standard error. Blocks the thread.
    public static func writeError(_ bytes: [UInt8]) throws(SystemError) { try write(bytes, to: STDERR_FILENO) }

    private static func write(_ bytes: [UInt8], to number: Int32) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            written += try checked("write to descriptor \(number)") {
                unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.write(number, $0.baseAddress! + written, $0.count - written)
                }
            }
        }
    }
}
