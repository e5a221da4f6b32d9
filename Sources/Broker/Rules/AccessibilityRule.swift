import Authorization
import BrokerProtocol
import Vault

/// Decides in which state of the vault an item of a class may be read.
enum AccessibilityRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        let isReadable: Bool
        switch facts.item.access.accessibility {
        case .always: isReadable = true
        case .afterFirstUnlock: isReadable = facts.lock != .sealed
        case .whenUnlocked, .passcodeSet:
            if case .unlocked = facts.lock { isReadable = true } else { isReadable = false }
        }
        if isReadable { return .pass }
        guard facts.mayUnlock else { return .refuse(Faults.locked) }
        return .needsOpenVault
    }
}
