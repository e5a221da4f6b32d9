import Glibc
import Platform

/// A failed call to the bus: the operation, and the library's code.
public struct BusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The operation in words: "connect to the system bus".
    public let operation: String
    /// The raw code, a negated `errno`; 0 if the failure did not come from the library.
    public let code: Int32
    /// The reason in words.
    public let reason: String
    /// The name of the error in the answer (`org.freedesktop.DBus.Error.…`); nil if there was no answer.
    public let name: String?

    /// - Parameter code: a negated `errno`.
    public init(_ operation: String, code: Int32, name: String? = nil) {
        self.operation = operation
        self.code = code
        self.reason = SystemError(operation, errno: -code).reason
        self.name = name
    }

    public init(_ operation: String, reason: String) {
        self.operation = operation
        self.code = 0
        self.reason = reason
        self.name = nil
    }

    public var description: String { "cannot \(operation): \(reason)" }
}

/// Checks sd-bus's return codes; a negative one is an error. It repeats calls that a signal interrupted.
@discardableResult
func checked(_ operation: @autoclosure () -> String, _ call: () -> Int32) throws(BusError) -> Int32 {
    while true {
        let code = call()
        if code >= 0 { return code }
        if code != -EINTR { throw BusError(operation(), code: code) }
    }
}
