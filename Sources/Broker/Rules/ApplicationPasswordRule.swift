import Vault

/// An application password is given with the call, where the item has one: with “and” always, with “or” to choose that way. Whether it is right shows only
/// when the item's slot is opened with it.
enum ApplicationPasswordRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        if facts.plan.alternatives.contains(where: { $0.needsApplicationPassword == facts.hasPassword }) {
            return .pass
        }
        return .refuse(facts.hasPassword ? Faults.applicationPasswordUnknown : Faults.applicationPasswordRequired)
    }
}
