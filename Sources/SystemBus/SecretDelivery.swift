import Cryptography
import Glibc
import Platform

/// Writes a secret to a descriptor that another program has made. That program can neither delay nor end this one.
public struct SecretDelivery: ~Copyable {
    private let descriptor: Descriptor

    /// The most bytes of a secret. A pipe takes so many at once or none (pipe(7), PIPE_BUF).
    public static let longest = 4096

    /// MSG_DONTWAIT | MSG_NOSIGNAL. On some systems Swift imports these constants with other types.
    private static let neverBlocking: Int32 = 0x40 | 0x4000

    /// - Parameter number: a descriptor that came with a call. It is copied.
    /// - Throws: ``SystemError`` if no descriptor is left.
    public init(to number: Int32) throws(SystemError) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw SystemError("keep a descriptor", errno: errno) }
        descriptor = Descriptor(adopting: copy)
    }

    /// Writes the whole secret at once, and closes the descriptor.
    /// - Throws: ``SystemError`` if the secret does not fit at once, or the descriptor is neither a pipe, a socket nor a file that is open for writing.
    public consuming func write(_ secret: borrowing SecretBytes) throws(SystemError) {
        let operation = "hand a secret over"
        guard secret.count <= Self.longest else { throw SystemError(operation, errno: EMSGSIZE) }
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw SystemError(operation, errno: errno) }
        let flags = fcntl(descriptor.number, F_GETFL)
        guard flags >= 0, flags & O_ACCMODE != O_RDONLY else { throw SystemError(operation, errno: EBADF) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: try unsafe write(secret, operation) { unsafe Glibc.write(descriptor.number, $0, $1) }
        case S_IFSOCK:
            // The other end shares the socket's own flags.
            try unsafe write(secret, operation) { unsafe send(descriptor.number, $0, $1, Self.neverBlocking) }
        case S_IFIFO:
            // Opened again, so that writing does not wait. The pipe's own flags are shared with the program that reads.
            let pipe = try Descriptor.open("/proc/self/fd/\(descriptor.number)", O_WRONLY | O_NONBLOCK)
            try unsafe write(secret, operation) { unsafe Glibc.write(pipe.number, $0, $1) }
        default: throw SystemError(operation, reason: "it is neither a pipe, a socket nor a file")
        }
    }

    private func write(
        _ secret: borrowing SecretBytes, _ operation: String, _ call: (UnsafeRawPointer?, Int) -> Int
    ) throws(SystemError) {
        let (written, code) = unsafe secret.withUnsafeBytes { bytes in
            while true {
                let count = unsafe call(bytes.baseAddress, bytes.count)
                if count >= 0 || errno != EINTR { return (count, errno) }
            }
        }
        guard written >= 0 else { throw SystemError(operation, errno: code) }
        guard written == secret.count else { throw SystemError(operation, reason: "there is no room for it") }
    }
}
