// Every limit of the client library: how long an answer may take, and how much of one is read.

/// Calls to the broker and to the authenticator.
package enum CallLimits {
    /// A call to the broker, which waits for a TPM, but never for a person.
    package static let broker = Duration.seconds(30)
    /// Connections that one keychain has to the broker at once. A user has 64 in all.
    static let connections = 4
    /// The accounts that one query names.
    static let listedAccounts = 32
    /// A call to the authenticator, which waits for a person and for PAM's modules.
    static let authenticator = Duration.seconds(600)
    /// A call to an agent that waits for nobody.
    static let agent = Duration.seconds(10)
    /// Connecting to the authenticator.
    static let connect = Duration.seconds(10)
    /// Telling the authenticator that the person gave up.
    static let cancellation = Duration.seconds(2)
    /// Waiting for the answer to a change whose task was cancelled.
    static let cancelledWrite = Duration.seconds(2)
    /// Looking for the reason that the authenticator gave before it ended.
    static let lastWord = Duration.milliseconds(20)
}

/// What a person types, in bytes.
enum AnswerLimits {
    /// The longest answer. This is PAM's own limit (PAM_MAX_RESP_SIZE).
    static let answer = 512
    /// One line of pinentry's, by the Assuan protocol.
    static let assuanLine = 1000
    /// The data of pinentry's answer; an answer fits into a few lines.
    static let assuanData = 4096
}
