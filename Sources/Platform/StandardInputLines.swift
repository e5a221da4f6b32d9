import Glibc

/// Reads standard input line by line.
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
            if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(waiting[..<end])
                waiting.removeSubrange(...end)
                return line
            }
            guard waiting.count <= limit else {
                throw SystemError("read standard input", reason: "a line has more than \(limit) bytes")
            }
            var part = [UInt8](repeating: 0, count: limit + 1)
            let count = try checked("read standard input") { unsafe Glibc.read(STDIN_FILENO, &part, part.count) }
            guard count > 0 else { return nil }
            waiting += part[..<count]
        }
    }
}
