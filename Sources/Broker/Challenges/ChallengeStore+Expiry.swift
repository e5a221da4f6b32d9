import Platform

/// Decides which challenges are still valid.
extension ChallengeStore {
    static func live(
        _ id: Challenge.ID, in open: [Challenge.ID: Challenge], at now: ContinuousClock.Instant
    ) throws(ChallengeRefusal) -> Challenge {
        guard let challenge = open[id] else { throw .unknown }
        // The sweep that is due removes the challenge and logs it.
        guard challenge.expires > now else { throw .expired }
        return challenge
    }

    static func dropExpired(
        _ open: inout [Challenge.ID: Challenge], at now: ContinuousClock.Instant
    ) -> [Challenge] {
        let dropped = open.values.filter { $0.expires <= now }
        for challenge in dropped { open[challenge.id] = nil }
        return dropped
    }

    /// Programs that asked and ended without an answer must not count for ever.
    static func dropDead(_ open: inout [Challenge.ID: Challenge], of uid: UInt32)
        -> [Challenge]
    {
        let dropped = open.values.filter { challenge in
            // `try?`: a process that cannot be observed is gone.
            challenge.uid == uid
                && (try? ProcessIdentity(observing: challenge.process.pid)) != challenge.process
        }
        for challenge in dropped { open[challenge.id] = nil }
        return dropped
    }
}
