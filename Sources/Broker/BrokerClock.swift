import Dispatch

/// The broker's clock: the present time, and a timer. Tests bring their own.
public struct BrokerClock: Sendable {
    public let now: @Sendable () -> ContinuousClock.Instant
    public let after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    public init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    ) {
        self.now = now
        self.after = after
    }

    /// The machine's clock. It goes on while the machine sleeps.
    public static let system = BrokerClock(
        now: { ContinuousClock.now },
        after: { duration, body in
            let (seconds, attoseconds) = duration.components
            let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
        })
}
