import CLinux
import Glibc

/// A program with all that it is started with.
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
        for file in files { try file.handOn() }
        inheritance.restore()
        let number = unsafe try attempt { path, words, variables in
            unsafe execve(path, &words, &variables)
            return errno
        }
        throw SystemError("start \(path)", errno: number)
    }

    /// A list of strings as C takes it, with nil at its end.
    typealias CStrings = [UnsafeMutablePointer<CChar>?]

    /// Starts the program by `execve` or `posix_spawn`, which give an error number and do not change the strings.
    /// - Returns: that number.
    func attempt(
        _ start: (_ path: String, _ words: inout CStrings, _ variables: inout CStrings) -> Int32
    ) throws(SystemError) -> Int32 {
        // For the kernel, a word ends at its first zero byte. The rest would be lost without a word.
        guard !(arguments + environment).contains(where: { $0.contains(0) }) else {
            throw SystemError("start \(path)", errno: EINVAL)
        }
        var variables = unsafe Self.copies(environment)
        defer { unsafe Self.wipe(variables) }
        var words = unsafe Self.copies(arguments)
        defer { unsafe Self.wipe(words) }
        let number = unsafe start(path, &words, &variables)
        guard number == ENOEXEC else { return number }
        // A script without a first line that names its interpreter is the shell's, as in execvp(3).
        let shell = "/bin/sh"
        var again = unsafe Self.copies([Array(shell.utf8), Array(path.utf8)] + arguments.dropFirst())
        defer { unsafe Self.wipe(again) }
        return unsafe start(shell, &again, &variables)
    }

    private static func copies(_ strings: [[UInt8]]) -> CStrings {
        unsafe strings.map { bytes in
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            for (index, byte) in bytes.enumerated() { unsafe copy[index] = CChar(bitPattern: byte) }
            unsafe copy[bytes.count] = 0
            return unsafe copy
        } + [nil]
    }

    /// The variables may hold secrets.
    private static func wipe(_ strings: CStrings) {
        unsafe strings.forEach { string in
            guard let string = unsafe string else { return }
            unsafe explicit_bzero(string, strlen(string))
            unsafe string.deallocate()
        }
    }
}
