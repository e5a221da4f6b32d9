import Authorization
import BrokerProtocol
import Varlink

/// What is changing a vault as a whole. There is one such operation at a time, because each of them makes root's
/// registry name something else, or depends on what it names.
struct VaultOperation: Sendable {
    enum Kind: Sendable {
        case creation
        case enrolment
        case replacement
        case approval
        case renewal
        case sharing
    }

    /// How long a call waits for an operation before it is refused. The broker sees within it that an authenticator's
    /// connection has ended.
    static let patience = Duration.seconds(5)

    let kind: Kind
    /// The challenge that it belongs to; nil if it ends with the call that began it. An operation is over when its
    /// challenge has ended, even if it has left something behind.
    let challenge: Challenge.ID?
}

extension VaultActor {
    /// Begins an operation, or goes on with the one of this challenge.
    ///
    /// - Parameter challenge: nil if the operation ends with this call; then call ``endOperation(of:)``.
    /// - Throws: `Failed` while another challenge's operation is under way.
    func begin(_ kind: VaultOperation.Kind, for challenge: Challenge.ID?) throws(Fault) {
        endAbandoned()
        if let operation, isUnderWay(operation), operation.challenge == nil || operation.challenge != challenge {
            throw operation.kind.refusal
        }
        operation = VaultOperation(kind: kind, challenge: challenge)
    }

    /// Refuses a call before anybody is asked, if an operation of this kind is under way: the answer would be in vain. An
    /// operation that ends within a moment is waited for.
    ///
    /// - Throws: `Failed`.
    func requireTurn(for kind: VaultOperation.Kind, patience: Duration = VaultOperation.patience) async throws(Fault) {
        let end = ContinuousClock.now + patience
        while true {
            endAbandoned()
            guard let operation, operation.kind == kind, isUnderWay(operation) else { return }
            guard ContinuousClock.now < end else { throw kind.refusal }
            // `try?`: a cancelled sleep only shortens the wait.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Ends the operation of a process that has ended since it was granted. The authenticator has finished it for nobody.
    private func endAbandoned() {
        if let challenge = operation?.challenge { dependencies.challenges.dropIfAbandoned(challenge) }
    }

    /// Whether the operation under way is this challenge's, and the challenge is still open. Ask after each `await`.
    func isUnderWay(for challenge: Challenge.ID) -> Bool {
        guard let operation, operation.challenge == challenge else { return false }
        return isUnderWay(operation)
    }

    /// Ends the operation, unless another has begun.
    func endOperation(of challenge: Challenge.ID?) {
        if let operation, operation.challenge == challenge { self.operation = nil }
    }

    private func isUnderWay(_ operation: VaultOperation) -> Bool {
        operation.challenge.map(dependencies.challenges.isOpen) ?? true
    }
}

extension VaultOperation.Kind {
    /// The error for anybody else who wants to change the vault meanwhile.
    fileprivate var refusal: Fault {
        switch self {
        case .creation: Fault(.failed, "your vault is being made already", advice: Self.wait)
        case .enrolment:
            Fault(.failed, "another item is being bound to your fingers just now", advice: "try again in a moment")
        case .replacement: Fault(.failed, "your vault is being sealed anew just now", advice: "try again in a moment")
        case .approval: Fault(.failed, "another boot is being approved just now", advice: "try again in a moment")
        case .sharing:
            Fault(.failed, "your vault talks to other machines just now", advice: "try again in a moment")
        case .renewal: Fault(.failed, "the keys of your vault are being renewed already", advice: Self.wait)
        }
    }

    /// A command that was killed may have left it behind. Then it ends by itself.
    private static let wait = "finish that first, or try again in half a minute"
}
