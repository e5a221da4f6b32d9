import Coffer

/// How long to wait until a broker that is gone is looked for again: a moment at first, for a restart, and longer after each failure.
struct BackOff {
    static let shortest = Duration.milliseconds(100)
    static let longest = Duration.seconds(30)
    /// The errors of a broker that is starting, stopping (`.failed`) or busy. `.locked`: a group's vault is not heard while the member's own is locked.
    static let passing: Set<KeychainError.Code> = [.brokerUnreachable, .brokerSilent, .failed, .limitExceeded, .locked]

    private var next = shortest

    /// - Parameter heard: how long the broker was heard before. A broker that ends again and again at once is a failure, too.
    mutating func pause(after heard: Duration) -> Duration {
        if heard >= Self.longest { next = Self.shortest }
        defer { next = min(next * 2, Self.longest) }
        return next
    }
}
