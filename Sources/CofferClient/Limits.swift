// Every limit of the client library: how long an answer may take, and how much of one is read.

import BrokerProtocol

/// Calls to the broker and to the authenticator.
package enum CallLimits {
    /// A call to the broker, which waits for a TPM, but never for a person.
    package static let broker = Duration.seconds(30)
    /// A call that carries changes of a circle. It can be about a million of them, which a slow machine reads for minutes
    /// (docs/sync-growth.md). A broker that hangs is noticed by the calls before it, whose limit is the usual one.
    static let circle = Duration.seconds(600)
    static let carrying: Set<String> = [Sync.Take.name, Sync.Give.name, Sync.PutBack.name, Sync.Enter.name]
    /// How long a change that was sent is waited for after its task was cancelled, so that its outcome is known if it can be.
    static let lastAnswer = Duration.seconds(1)
    /// How long the broker may take to say that it is there.
    package static let availability = Duration.seconds(2)
    /// How long the broker may leave a call unread before a person is told what is waited for.
    package static let notice = Duration.milliseconds(1500)
    /// Connections that one process has to the broker at once. A user has 64 in all.
    static let connections = 4
    /// Calls of one process that have a person asked at once. A user has 32 open challenges that one prompt can answer.
    static let asking = 24
    /// How often a call of an application begins anew because another prompt opens the vault. Its own calls may do that
    /// to each other.
    static let begins = 8
    /// How often a command does. More prompts would let a broker that was taken over wear a person out.
    static let commandBegins = 1
    /// Calls of one process that the broker may answer with another challenge.
    static let trying = connections
    /// As `asking`, for one item, and for all calls that share no prompt. The broker takes 8, also from other programs.
    static let askingAlike = 6
    /// The accounts that one query names.
    static let listedAccounts = 32
    /// A call to the authenticator, which waits for a person and for PAM's modules.
    static let authenticator = Duration.seconds(600)
    /// A call to an agent that waits for nobody.
    static let agent = Duration.seconds(10)
    /// The agent's state, which it tells at once.
    package static let agentState = Duration.seconds(2)
    /// How often a caller that waits for an agent looks whether it still answers.
    static let agentWatch = Duration.seconds(3)
    /// Connecting to the authenticator.
    static let connect = Duration.seconds(10)
    /// Telling the authenticator that the person gave up.
    static let cancellation = Duration.seconds(2)
    /// Looking for the reason that the authenticator gave before it ended.
    static let lastWord = Duration.milliseconds(20)
}

/// Changes of items.
package enum ChangeLimits {
    /// The changes that one request takes.
    package static let changes = ItemLimits.changes
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

/// What is read of a circle.
enum ConflictLimits {
    /// The most conflicts that one list has. More are listed once some of these are decided.
    static let listed = 10_000
}
