import Cryptography
import Platform
import Recovery
import Vault

/// A recovery code that was given out and does not count yet. It is in memory only: what becomes of it, the valid code stays as it is.
struct UnconfirmedCode: Sendable {
    /// From the code to the part that comes back: time to write it down.
    static let life = Duration.seconds(600)
    static let mostTries = 5

    let recovery: UnconfirmedRecovery
    let code: RecoveryCode
    /// The group that is asked back, from 0.
    let part: Int
    /// Whom it was given to.
    let process: ProcessIdentity
    let expires: ContinuousClock.Instant
    var tries = 0
}
