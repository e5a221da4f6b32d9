import CLinux
import Glibc

/// A program with all that it is started with. It takes this process's place.
public struct ProgramImage: Sendable {
    /// The file to run.
    public let path: String
    /// The program's name, then its arguments.
    public let arguments: [[UInt8]]
    /// `NAME=VALUE`.
    public let environment: [[UInt8]]
    /// Files that only this program gets.
    public let files: [SealedFile]

    public init(_ path: String, arguments: [[UInt8]], environment: [[UInt8]], files: [SealedFile]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.files = files
    }

    /// Becomes this program. The process keeps its number, its terminal and the descriptors that it was started with.
    /// - Returns: only if the program cannot be started.
    public func replaceThisProcess(restoring inheritance: ProcessInheritance) throws(SystemError) -> Never {
        // For the kernel, a word ends at its first zero byte. The rest would be lost without a word.
        guard !(arguments + environment).contains(where: { $0.contains(0) }) else {
            throw SystemError("start \(path)", errno: EINVAL)
        }
        for file in files { try file.handOn() }
        inheritance.restore()
        Self.execute(path, arguments, environment)
        var number = errno
        if number == ENOEXEC {
            // A script without a first line that names its interpreter is the shell's, as in execvp(3).
            let shell = "/bin/sh"
            Self.execute(shell, [Array(shell.utf8), Array(path.utf8)] + arguments.dropFirst(), environment)
            number = errno
        }
        throw SystemError("start \(path)", errno: number)
    }

    /// Returns only if the kernel refuses.
    private static func execute(_ path: String, _ arguments: [[UInt8]], _ environment: [[UInt8]]) {
        var words = unsafe arguments.map { unsafe CString.copy($0) } + [nil]
        var variables = unsafe environment.map { unsafe CString.copy($0) } + [nil]
        unsafe execve(path, &words, &variables)
        let number = errno
        unsafe CString.wipe(words)
        unsafe CString.wipe(variables)
        errno = number
    }
}

/// Strings for C, which may hold secrets.
private enum CString {
    static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
        for (index, byte) in bytes.enumerated() { unsafe copy[index] = CChar(bitPattern: byte) }
        unsafe copy[bytes.count] = 0
        return unsafe copy
    }

    static func wipe(_ strings: [UnsafeMutablePointer<CChar>?]) {
        for unsafestring in unsafe strings {
            guard let string = unsafe string else { continue }
            unsafe explicit_bzero(string, strlen(string))
            unsafe string.deallocate()
        }
    }
}
