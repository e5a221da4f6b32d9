import Platform

/// Challenges that ended without an answer, on their way to the access log. The code that ends them, such as a lock,
/// does not wait for the log.
struct EndedChallenges: Sendable {
    struct EndedChallenge: Sendable {
        /// The challenge without its secrets.
        let challenge: Challenge
        /// Why it ended, in one word.
        let outcome: String
    }

    /// The stream has one reader.
    let stream: AsyncStream<EndedChallenge>
    private let continuation: AsyncStream<EndedChallenge>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(ChallengeLimits.ended))
    }

    func add(_ challenges: [Challenge], _ outcome: String) {
        // A failed login report was never a request to a person, so it is not logged.
        for challenge in challenges where !challenge.request.isLogin {
            continuation.yield(EndedChallenge(challenge: challenge.withoutSecrets, outcome: outcome))
        }
    }

    func finish() { continuation.finish() }
}

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
        let dropped = open.values.filter { $0.uid == uid && $0.isAbandoned }
        for challenge in dropped { open[challenge.id] = nil }
        return dropped
    }
}

extension Challenge {
    /// Whether the process that it was made for has ended. No other one may use it.
    var isAbandoned: Bool {
        // `try?`: a process that cannot be observed is gone.
        (try? ProcessIdentity(observing: process.pid)) != process
    }
}
