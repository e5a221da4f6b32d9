import Authorization

/// Only the vault's owner may read, or a member of the owning group, or root if admission decided so. Others get the
/// answer that there is no such item.
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
