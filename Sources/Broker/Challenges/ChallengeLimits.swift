/// How many challenges there may be, and how long they live.
struct ChallengeLimits: Sendable {
    /// Challenges that one prompt can answer count as one.
    var openPerUser: Int
    /// Challenges that one prompt can answer. A person can be shown this many at once.
    var alike = 32
    /// Challenges of one process for the very same thing, as its threads may make.
    var same = 8
    /// All challenges of one user, and of all users.
    var all = BudgetLimits.challenges
    /// From the challenge to the last signature.
    var life: Duration
    /// From the last signature to the repeated call.
    var grantLife: Duration = .seconds(30)
    /// From a login's report to the signature. Nobody is prompted in this time.
    var reportLife: Duration = .seconds(15)

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
