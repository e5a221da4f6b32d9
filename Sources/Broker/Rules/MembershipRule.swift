import Authorization

/// Only the vault's owner reads, a member of the group that owns it, or root if that was decided. Refused as if nothing were there.
enum MembershipRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        let isEntitled =
            switch (facts.standing, facts.vaultOwner) {
            case (.own, let owner): owner == .user(facts.caller.uid)
            case (.member, .group): true
            case (.root, .user): facts.caller.uid == 0
            case (.member, .user), (.root, .group): false
            }
        return isEntitled ? .pass : .refuse(Faults.notFound)
    }
}
