import Vault

/// What a person granted holds for the version of the item that was shown, and for no other; and for what the person was told it is for.
enum GrantRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        guard let granted = facts.granted, let subject = granted.subject else { return .pass }
        guard subject.item == facts.item.id else { return .refuse(Faults.challengeRefused) }
        guard subject.version == facts.item.version else { return .refuse(Faults.challengeRefused) }
        guard granted.purposes.contains(facts.purpose) else { return .refuse(Faults.challengeRefused) }
        return .pass
    }
}
