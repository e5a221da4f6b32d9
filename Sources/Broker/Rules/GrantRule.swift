import Vault

/// A person's answer is valid only for the version of the item that was shown, and only for the deed that was
/// shown.
enum GrantRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        guard case .use(let use, _) = facts.granted?.request else { return .pass }
        guard use.subject.item == facts.item.id else { return .refuse(Faults.challengeRefused) }
        guard use.subject.version == facts.item.version else { return .refuse(Faults.challengeRefused) }
        guard use.deed == facts.deed else { return .refuse(Faults.challengeRefused) }
        return .pass
    }
}
