import Circle
import Cryptography

/// What a store may give. Nobody trusts the one who keeps it.
package struct CourierLimits: Sendable {
    /// Entries that one listing reads, of all its folders together.
    package var names = 100_000
    /// Devices of a circle.
    package var devices = CircleLimits.heads
    /// Files of other machines that one exchange puts back, and those of one more answer. Also own files that it removes.
    package var putBack = 1024
    /// Circles in a store.
    package var circles = 1024

    package init() {}

    /// The length of a beacon in bytes.
    static let beacon = 64
    /// How many bytes of it are written. They are random, so that the file is never the same.
    static let written = 16
    /// Devices whose folders are watched. Each takes two watches of the kernel, and a user has few.
    static let watched = 256
    /// How many strange files are named.
    static let strange = 8
    /// After so many seconds a file that was not finished belongs to nobody.
    static let leftover: Int64 = 86_400
}

/// What git may take.
package struct GitLimits: Sendable {
    /// For a command that has everything here.
    package var local: Duration = .seconds(60)
    /// For one that speaks to the remote. The first fetch of a large repository takes a while.
    package var remote: Duration = .seconds(300)
    /// To wait for another run of Coffer in the same repository. It is longer than what that one may take for one command.
    package var others: Duration = .seconds(400)
    /// How often a push is tried again because somebody else was faster.
    package var pushes = 5

    package init() {}

    /// The bytes of an answer that is no list and no file.
    static let output = 1 << 16
    /// The bytes of one name in a list, with what is said of it. Longer ones are not Coffer's.
    static let name = 512
    /// Between two looks whether another run has ended.
    static let look: Duration = .milliseconds(100)
    /// The pause before a second push, at most. It doubles each time.
    static let pause: Duration = .milliseconds(200)
}

/// What a program that gives credentials may take.
package struct CredentialsLimits: Sendable {
    /// A cloud's own address answers at once, and a program that asks a server in seconds.
    package var time: Duration = .seconds(60)

    package init() {}

    /// The bytes of its output. A session token has some hundred, and no maker says how many at most.
    static let output = 1 << 16
    /// The bytes of a name or a secret.
    package static let longest = 1024
    /// The bytes of a session token.
    static let token = 1 << 14
    /// So many seconds before their end, credentials count as ended: a request takes time, and clocks differ.
    static let early: Int64 = 60
}

extension StorePath {
    /// The most bytes that a file of this kind has (docs/sync-format.md, “Limits”).
    package var limit: Int {
        switch self {
        case .segment: CircleLimits.segment
        case .head: CircleLimits.head
        case .beacon: CourierLimits.beacon
        case .knock: CircleLimits.knock + AESGCM.overhead
        case .request: CircleLimits.request + AESGCM.overhead
        case .answer: CircleLimits.answer + AESGCM.overhead
        case .proof(.identity, _): CircleLimits.identity + AESGCM.overhead
        case .proof(.challenge, _): CircleLimits.challenge + AESGCM.overhead
        case .proof(.evidence, _): CircleLimits.evidence + AESGCM.overhead
        }
    }
}
