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
