import Glibc

/// A failed system call: the operation, and `errno`.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The operation in words: "connect to /run/coffer/coffer.sock".
    public let operation: String
    /// The raw error number; 0 if the failure did not come from the kernel.
    public let errno: Int32
    /// The reason in words.
    public let reason: String

    public init(_ operation: String, errno: Int32) {
        self.operation = operation
        self.errno = errno
        self.reason = unsafe String(cString: strerror_l(errno, SystemError.plainLocale()))
    }

    public init(_ operation: String, reason: String) {
        self.operation = operation
        self.errno = 0
        self.reason = reason
    }

    public var description: String { "cannot \(operation): \(reason)" }

    /// `strerror` itself is not safe in several threads, but `strerror_l` is.
    private static func plainLocale() -> locale_t? { unsafe uselocale(nil) }
}

/// Checks calls that return a negative number and set `errno`. It repeats calls that a signal interrupted.
@discardableResult
func checked<Value: SignedInteger>(_ operation: @autoclosure () -> String, _ call: () -> Value) throws(SystemError)
    -> Value
{
    while true {
        let value = call()
        if value >= 0 { return value }
        let number = Glibc.errno
        if number != EINTR { throw SystemError(operation(), errno: number) }
    }
}
