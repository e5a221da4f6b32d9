import BrokerProtocol
import Platform

/// A way to ask a person: the terminal, a program that the person named, or a dialog.
package protocol Prompter: Sendable {
    /// Shows a message that takes no answer.
    mutating func tell(_ message: Authentication.Message) throws(KeychainError)

    /// Asks for an answer.
    /// - Parameter hangUp: a descriptor that becomes readable when nobody waits for the answer.
    /// - Returns: nil if the person gives up.
    mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String?

    /// Holds the whole conversation in this process's place; nil if this prompter only asks.
    var delegate: AgentPrompter? { get }
}

extension Prompter {
    package var delegate: AgentPrompter? { nil }
}

/// Used when root acts for an account that has nobody to ask. The authenticator asks nothing then.
package struct NoPrompter: Prompter {
    private let reason: String
    private let advice: String

    /// - Parameters:
    ///   - reason: the message if the authenticator asks all the same.
    ///   - advice: the advice for that case.
    package init(
        reason: String = "the authenticator asks for a person, but nobody can be asked for this vault",
        advice: String = "only root may open it"
    ) {
        self.reason = reason
        self.advice = advice
    }

    package mutating func tell(_ message: Authentication.Message) throws(KeychainError) {}

    package mutating func ask(_ message: Authentication.Message, hangUp: Int32) throws(KeychainError) -> String? {
        throw KeychainError(.authenticationNeeded, reason, advice: advice)
    }
}

/// Finds a program as a shell does, but only in the absolute folders of PATH.
package struct ProgramSearch: Sendable {
    private let folders: [String]

    package init(environment: [String: String]) {
        folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    package func path(of program: String) -> String? {
        folders.lazy.map { "\($0)/\(program)" }.first { ExecutableFile.failure(of: $0) == nil }
    }
}
