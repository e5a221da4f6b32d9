import Glibc
import Platform

/// A call that got no valid answer of its interface.
public enum TransportFailure: Error, Sendable {
    /// Nobody listens, or the connection broke.
    case unreachable(String)
    case deadline
    /// The answer does not match the interface.
    case notUnderstood(String)

    /// The reason, as the end of a sentence.
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
