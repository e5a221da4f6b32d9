import Glibc

/// A system call that failed: which, on what, and `errno`.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was tried, in words: "connect to /run/coffer/coffer.sock".
    public let operation: String
    /// The raw error number, 0 when the failure is not the kernel's.
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

    /// `strerror` itself is not safe to call from several threads; with a locale it is.
    private static func plainLocale() -> locale_t? { unsafe uselocale(nil) }
}

/// The gate for calls that return a negative number and set `errno`; repeats what a signal interrupted.
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
