import Vault

/// An item's application password comes with the call. With "and" it is always needed. With "or" it chooses that way.
/// Only opening the item's slot shows whether it is right.
enum ApplicationPasswordRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        if facts.plan.alternatives.contains(where: { $0.needsApplicationPassword == facts.hasPassword }) {
            return .pass
        }
        return .refuse(facts.hasPassword ? Faults.applicationPasswordUnknown : Faults.applicationPasswordRequired)
    }
}
