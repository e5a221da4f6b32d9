import BrokerProtocol
import Vault

/// A group's vault is open to a member as far as the member's own is: what locks that, locks this to him.
enum OwnVaultRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        guard facts.standing == .member else { return .pass }
        let isReadable =
            switch facts.item.access.accessibility {
            case .always: true
            case .afterFirstUnlock: facts.own == .locked || facts.own == .unlocked
            case .whenUnlocked, .passcodeSet: facts.own == .unlocked
            }
        return isReadable ? .pass : .refuse(Faults.ownLocked)
    }
}
