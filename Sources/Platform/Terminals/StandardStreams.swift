import Glibc

/// The descriptors 0, 1 and 2.
enum StandardStreams {
    /// Keeps the number of a stream that is closed, so that no file of this process gets it and takes what is meant for the stream. Using the stream
    /// fails as before, and programs that are started do not inherit it.
    static func holdClosed() throws(SystemError) {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            let way = number == STDIN_FILENO ? O_WRONLY : O_RDONLY
            // It gets the lowest free number, which is this one.
            try checked("hold descriptor \(number)") { unsafe open("/dev/null", way | O_CLOEXEC) }
        }
    }
}

/// Reads this process's standard input.
public enum StandardInput {
    /// Reads to the end, or to the limit. Blocks the thread.
    /// - Parameter limit: the most bytes to read.
    public static func read(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(limit, 65_536))
        // It may be a secret, which only the result has.
        defer { Wipe.bytes(&part) }
        while bytes.count < limit {
            let wanted = min(part.count, limit - bytes.count)
            let count = try checked("read standard input") { unsafe Glibc.read(STDIN_FILENO, &part, wanted) }
            if count == 0 { break }
            Wipe.append(part[..<count], to: &bytes)
        }
        return bytes
    }

    /// Reads what is there, and waits only if that is nothing. Blocks the thread.
    /// - Returns: nothing at the end of the input.
    public static func read(atMost limit: Int) throws(SystemError) -> [UInt8] {
        var part = [UInt8](repeating: 0, count: limit)
        let count = try checked("read standard input") { unsafe Glibc.read(STDIN_FILENO, &part, limit) }
        part.removeLast(limit - count)
        return part
    }

    /// Whether bytes wait to be read in a file or a pipe. A terminal's input belongs to a person and is not examined.
    public static var hasData: Bool {
        var count: Int32 = 0
        // An input that cannot be examined counts as empty.
        guard isatty(STDIN_FILENO) == 0, unsafe ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 else { return false }
        return count > 0
    }
}

/// Reads standard input line by line. Of a line that was read, nothing is left here: it may be a secret.
public struct StandardInputLines: ~Copyable {
    private let limit: Int
    private var waiting: [UInt8] = []

    /// - Parameter limit: the most bytes that a line may have.
    public init(limit: Int) { self.limit = limit }

    deinit { Wipe.storage(of: waiting) }

    /// Reads the next line. Blocks the thread.
    /// - Returns: the line without its line break; nil at the end of the input.
    public mutating func next() throws(SystemError) -> [UInt8]? {
        while true {
            let end = waiting.firstIndex(of: UInt8(ascii: "\n"))
            // Also of a line whose end has come with its last part.
            guard end ?? waiting.count <= limit else {
                throw SystemError("read standard input", reason: "a line has more than \(limit) bytes")
            }
            if let end {
                let line = Array(waiting[..<end])
                // Not in place: what moved to the front would also stay behind the new end.
                let rest = Array(waiting[(end + 1)...])
                Wipe.bytes(&waiting)
                waiting = rest
                return line
            }
            var part = [UInt8](repeating: 0, count: limit + 1)
            defer { Wipe.bytes(&part) }
            let count = try checked("read standard input") { unsafe Glibc.read(STDIN_FILENO, &part, limit + 1) }
            guard count > 0 else { return nil }
            Wipe.append(part[..<count], to: &waiting)
        }
    }
}

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

extension BidirectionalCollection<UInt8> {
    /// Without the one line break at its end: LF, or CR LF as other systems write it. No secret means to have the CR alone.
    public var withoutLineEnd: SubSequence {
        guard last == UInt8(ascii: "\n") else { return self[...] }
        let line = dropLast()
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
