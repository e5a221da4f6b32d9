/// Questions that ended without an answer, on their way to the access log. What ends them, a lock above all, waits for no log.
struct EndedChallenges: Sendable {
    struct EndedChallenge: Sendable {
        /// Without anything secret that it had.
        let challenge: Challenge
        /// Why, in one word.
        let outcome: String
    }

    /// More than this are not waited for: a log takes so many refusals at once only.
    private static let mostWaiting = 256

    /// For one reader.
    let stream: AsyncStream<EndedChallenge>
    private let continuation: AsyncStream<EndedChallenge>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.mostWaiting))
    }

    func add(_ challenges: [Challenge], _ outcome: String) {
        // A reported login that came to nothing was no question to anybody.
        for challenge in challenges where !challenge.isReport {
            var bare = challenge
            bare.agreements = [:]
            bare.heldRoot = nil
            bare.passwords = [:]
            bare.secrets = nil
            continuation.yield(EndedChallenge(challenge: bare, outcome: outcome))
        }
    }

    func finish() { continuation.finish() }
}
