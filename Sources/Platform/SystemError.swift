import Glibc

/// A failed system call: the operation, and `errno`.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The operation in words: "connect to /run/coffer/coffer.sock".
    public let operation: String
    /// The raw error number; 0 if the failure did not come from the kernel.
    public let errno: Int32
    /// The reason in words.
    public let reason: String
    /// What to do about it, in words; empty if there is nothing to do.
    public let advice: String

    public init(_ operation: String, errno: Int32) {
        self.operation = operation
        self.errno = errno
        self.reason = unsafe String(cString: strerror_l(errno, SystemError.plainLocale()))
        self.advice = ""
    }

    public init(_ operation: String, reason: String, advice: String = "") {
        self.operation = operation
        self.errno = 0
        self.reason = reason
        self.advice = advice
    }

    /// The kernel's error number, as the wire names causes; nil if the failure did not come from the kernel.
    public var underlying: String? { errno == 0 ? nil : "errno \(errno)" }

    /// What happened, in one clause.
    public var message: String { "cannot \(operation): \(reason)" }

    public var description: String { message + (advice.isEmpty ? "" : "; \(advice)") }

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
