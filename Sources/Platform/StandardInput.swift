import Glibc

/// Reads this process's standard input.
public enum StandardInput {
    /// Reads to the end, or to the limit. Blocks the thread.
    /// - Parameter limit: the most bytes to read.
    public static func read(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(limit, 65_536))
        while bytes.count < limit {
            let wanted = min(part.count, limit - bytes.count)
            let count = try checked("read standard input") { unsafe Glibc.read(STDIN_FILENO, &part, wanted) }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }

    /// Whether bytes wait to be read in a file or a pipe. A terminal's input belongs to a person and is not examined.
    public static var hasData: Bool {
        var count: Int32 = 0
        // An input that cannot be examined counts as empty.
        guard isatty(STDIN_FILENO) == 0, unsafe ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 else { return false }
        return count > 0
    }
}
