import BrokerProtocol
import Vault

/// A group's vault is open to members only while their own vault is open. A lock of their own vault locks the group's
/// for them, whatever the item's class.
enum OwnVaultRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        guard facts.standing == .member, facts.own != .unlocked else { return .pass }
        return .refuse(Faults.ownLocked)
    }
}
