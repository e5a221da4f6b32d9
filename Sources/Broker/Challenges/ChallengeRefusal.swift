/// Why a challenge was refused. Clients are not told the detail, so that guessing reveals nothing.
enum ChallengeRefusal: Error, Sendable, Equatable {
    case unknown
    case expired
    case anothersProcess
    case notGranted
    case outOfOrder
}
