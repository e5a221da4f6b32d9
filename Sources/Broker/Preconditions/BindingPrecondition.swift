import Authorization
import BrokerProtocol
import Varlink
import Vault

/// Which vault can be bound to a login password: one person's own, if a TPM counts the tries.
enum BindingPrecondition {
    static func check(_ record: RegistryRecord) throws(Fault) {
        if case .group = record.owner {
            throw Fault(.invalidArgument, "a group's vault cannot be bound: a group has no password")
        }
        guard !record.isService else {
            throw Fault(
                .invalidArgument, "a service vault cannot be bound: nobody can be asked for a password"
            )
        }
        guard record.sealer == .tpm else {
            throw Fault(
                .invalidArgument,
                "a vault that is sealed by software cannot be bound: only a TPM counts the tries of a password")
        }
    }

    /// - Parameter challenge: the challenge that released the unlock root.
    static func check(_ record: RegistryRecord, for challenge: Challenge) throws(Fault) {
        try check(record)
        guard record.vault == challenge.vault else { throw Faults.challengeRefused }
        // Only a bound vault can be unbound, or bound to a changed password.
        let isBinding = challenge.request.kind == .bind
        guard (record.binding == nil) == isBinding else { throw Faults.challengeRefused }
    }
}
