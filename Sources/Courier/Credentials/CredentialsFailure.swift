import Platform

/// Why a program gives no credentials. It holds nothing that the program printed.
package enum CredentialsFailure: Error, Sendable, Equatable {
    /// There is no such program.
    case missing
    /// Somebody else could change what is run.
    case changeable
    case notRun(SystemError)
    /// It ended with this status (``Subprocess/status``).
    case ended(Int32)
    case hung(Duration)
    case flooded
    /// What it printed is neither two lines nor the object that clouds give.
    case notUnderstood
    /// They ended before they were used.
    case expired

    /// In words that go behind “the program”.
    var reason: String {
        switch self {
        case .missing: "it is not there"
        case .changeable: "others than its user and root may change it"
        case .notRun(let error): "it cannot be run: \(error.reason)"
        case .ended(let status): "it ended with status \(status)"
        case .hung(let limit): "it did not end within \(limit.components.seconds) s"
        case .flooded: "it printed more than \(CredentialsLimits.output) bytes"
        case .notUnderstood: "what it printed are no credentials"
        case .expired: "its credentials had ended already"
        }
    }
}
