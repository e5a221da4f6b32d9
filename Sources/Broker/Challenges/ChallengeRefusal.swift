/// Why a challenge was not taken. Not told to clients in detail: a guess is to learn nothing.
enum ChallengeRefusal: Error, Sendable, Equatable {
    case unknown
    case expired
    case anothersProcess
    case notGranted
    case outOfOrder
}
