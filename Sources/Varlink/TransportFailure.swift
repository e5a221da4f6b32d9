import Glibc
import Platform

/// A call that failed below the interface.
public enum TransportFailure: Error, Sendable {
    /// Nobody listens, or the connection broke.
    case unreachable(String)
    case deadline
    /// What came is not what the interface promises.
    case notUnderstood(String)

    /// What went wrong, as the end of a sentence.
    public var reason: String {
        switch self {
        case .unreachable(let reason), .notUnderstood(let reason): reason
        case .deadline: "it took too long"
        }
    }

    public init(_ error: SystemError) {
        self = error.errno == ETIMEDOUT ? .deadline : .unreachable(error.reason)
    }
}
