/// Why Coffer cannot ask for a fingerprint now, or cannot bind an item to one.
enum BiometryObstacle: Error, Equatable {
    /// fprintd is not available, or it knows no reader.
    case noReader
    case noneEnrolled
    case lidClosed
    /// The session comes from another machine, or has no seat on this one.
    case remoteSession
    case inactiveSession
    case lockedSession
    /// The program belongs to no session of the user's that a person uses.
    case noSession
    /// Another conversation of the same user is open, so a finger's meaning would be unclear.
    case anotherConversation
    /// logind or fprintd cannot be asked, for this reason.
    case unknown(String)
    /// The stored fingers cannot be trusted, for this reason.
    case storage(String)

    /// The obstacle, and what to do about it.
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
