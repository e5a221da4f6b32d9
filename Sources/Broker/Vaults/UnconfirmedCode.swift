import Cryptography
import Platform
import Recovery
import Vault

/// A recovery code that was given out and is not valid yet. It exists only in memory. Whatever happens to it, the
/// valid code stays as it is.
struct UnconfirmedCode: Sendable {
    /// The time from the code to its confirmation, in which the person writes it down.
    static let life = Duration.seconds(600)
    static let mostTries = 5

    let recovery: UnconfirmedRecovery
    let code: RecoveryCode
    /// The group of the code that must be typed back, from 0.
    let part: Int
    /// The process that got the code.
    let process: ProcessIdentity
    let expires: ContinuousClock.Instant
    var tries = 0
}
