import Vault

/// A person's answer is valid only for the version of the item that was shown, and only for the deed that was
/// shown.
enum GrantRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        // Consent to one of these is no consent to another.
        switch (facts.granted?.request, facts.jointUse) {
        case (.readAll(let read, _), .read), (.lease(let read, _), .lease), (.release(let read, _), .release):
            return verdict(on: facts, read)
        case (.readAll, _), (.lease, _), (.release, _): return .refuse(Faults.challengeRefused)
        default: break
        }
        guard case .use(let use, _) = facts.granted?.request else { return .pass }
        guard facts.together == nil else { return .refuse(Faults.challengeRefused) }
        guard use.subject.target == facts.target else { return .refuse(Faults.challengeRefused) }
        guard use.subject.version == facts.item.version else { return .refuse(Faults.challengeRefused) }
        guard use.deed == facts.deed else { return .refuse(Faults.challengeRefused) }
        return .pass
    }

    /// The call must read exactly the items that were shown, each in its version.
    private static func verdict(on facts: ReadFacts, _ read: Challenge.JointRead) -> Verdict {
        guard facts.together == read.items.map(\.target) else { return .refuse(Faults.challengeRefused) }
        let shown = read.items.first { $0.target == facts.target }
        guard shown?.version == facts.item.version else { return .refuse(Faults.challengeRefused) }
        return .pass
    }
}
