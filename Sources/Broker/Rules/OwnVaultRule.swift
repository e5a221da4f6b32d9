import BrokerProtocol
import Vault

/// A group's vault is open to a member only while the member's own is: what locks that, locks this to him, whatever the item's class.
enum OwnVaultRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        guard facts.standing == .member, facts.own != .unlocked else { return .pass }
        return .refuse(Faults.ownLocked)
    }
}
