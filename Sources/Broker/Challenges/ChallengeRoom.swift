/// Whether there is room for another challenge.
extension ChallengeLimits {
    /// If a process repeats a request without answering it, its oldest challenge that nobody has begun to answer is
    /// replaced.
    /// - Returns: the replaced challenges.
    func makeRoom(for challenge: Challenge, in open: inout [Challenge.ID: Challenge]) -> [Challenge] {
        let same = open.values.filter { $0.isReplaceable(by: challenge) }.sorted { $0.expires < $1.expires }
        let replaced = Array(same.dropLast(self.same - 1))
        for old in replaced { open[old.id] = nil }
        return replaced
    }

    func hasRoom(for challenge: Challenge, in open: [Challenge.ID: Challenge]) -> Bool {
        let others = open.values.filter { $0.uid == challenge.uid && !$0.request.isLogin }
        guard others.count < max(all.user, openPerUser) else { return false }
        // A user with few challenges gets one even if others have taken nearly all.
        guard open.count < (others.count < all.ensured ? all.all : all.open) else { return false }
        let alike = others.count { $0.isAlike(challenge) }
        if alike > 0 { return alike < self.alike }
        var prompts: [Challenge] = []
        for other in others where !prompts.contains(where: other.isAlike) { prompts.append(other) }
        return prompts.count < openPerUser
    }
}
