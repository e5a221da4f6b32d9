import BrokerProtocol
import Vault

/// A group's vault is open to members only while their own vault is open. A lock of their own vault locks the group's
/// for them. This holds for items of every class.
enum OwnVaultRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        guard facts.standing == .member, facts.own != .unlocked else { return .pass }
        return .refuse(Faults.ownLocked)
    }
}
