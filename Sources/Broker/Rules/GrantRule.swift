import Vault

/// A person's answer is valid only for the version of the item that was shown, and only for the purpose that was
/// shown.
enum GrantRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        guard let granted = facts.granted, let subject = granted.subject else { return .pass }
        guard subject.item == facts.item.id else { return .refuse(Faults.challengeRefused) }
        guard subject.version == facts.item.version else { return .refuse(Faults.challengeRefused) }
        guard granted.purposes.contains(facts.purpose) else { return .refuse(Faults.challengeRefused) }
        return .pass
    }
}
