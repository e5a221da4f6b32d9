import CLinux
import Glibc

/// This process's arguments and environment as the kernel handed them over. They need not be UTF-8, and have to be passed on unchanged.
public enum RawWords {
    /// All arguments, the program's name first.
    public static func arguments() -> [[UInt8]] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe bytes(word)
        }
    }

    /// The arguments behind the first `--`.
    /// - Returns: nil if there is no `--`.
    public static func argumentsAfterTerminator() -> [[UInt8]]? {
        let count = Int(CommandLine.argc)
        var found: [[UInt8]]?
        for index in 0..<count {
            guard let word = unsafe CommandLine.unsafeArgv[index] else { break }
            let bytes = unsafe bytes(word)
            if found != nil { found?.append(bytes) } else if index > 0, bytes == Array("--".utf8) { found = [] }
        }
        return found
    }

    /// The environment, each entry `NAME=VALUE`.
    public static func environment() -> [[UInt8]] {
        guard var entry = unsafe coffer_environment() else { return [] }
        var entries: [[UInt8]] = []
        while let word = unsafe entry.pointee {
            unsafe entries.append(bytes(word))
            unsafe entry += 1
        }
        return entries
    }

    private static func bytes(_ word: UnsafeMutablePointer<CChar>) -> [UInt8] {
        unsafe UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
    }
}
