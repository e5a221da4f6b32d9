/// Why a fingerprint cannot be asked for, or an item not be bound to one, here and now.
enum BiometryObstacle: Error, Equatable {
    /// fprintd is not there, or knows no reader.
    case noReader
    case noneEnrolled
    case lidClosed
    /// From another machine, or from no seat of this one.
    case remoteSession
    case inactiveSession
    case lockedSession
    /// The program belongs to no session of the user's in which a person sits.
    case noSession
    /// A conversation of the same user is open: nobody could tell which of them a finger is for.
    case anotherConversation
    /// Who would have to be asked cannot be: logind or fprintd, for this reason.
    case unknown(String)
    /// What is stored of the fingers cannot be trusted, for this reason.
    case storage(String)

    /// What is in the way and what to do about it.
    var sentence: String {
        switch self {
        case .noReader: "There is no fingerprint reader that fprintd knows of (see: fprintd-list)."
        case .noneEnrolled: "None of your fingers is enrolled; enrol one with: fprintd-enroll"
        case .lidClosed: "The lid is closed: open it to use the fingerprint reader."
        case .remoteSession:
            "This session is not at this machine: a fingerprint is taken only from somebody who sits here."
        case .inactiveSession: "This session is not the one in front: switch to it to use the fingerprint reader."
        case .lockedSession: "A session of yours is locked: unlock its screen to use the fingerprint reader."
        case .noSession:
            "The program that asks belongs to no session of yours: run it where you are logged in at this machine."
        case .anotherConversation:
            "Another authentication of yours is open: finish or cancel it first, so that it is clear what a finger is for."
        case .unknown(let reason): "Fingerprints cannot be used: \(reason)."
        case .storage(let reason): "The enrolled fingers cannot be trusted: \(reason)."
        }
    }
}
