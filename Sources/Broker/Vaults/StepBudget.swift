/// How often a vault's counter may advance. Each step writes to the TPM's memory, which wears out, and any program of
/// the owner can cause one.
struct StepBudget: Sendable {
    /// How many steps may follow each other at once.
    static let most = 60
    /// The time after which another step becomes free.
    static let pace = Duration.seconds(20)

    /// How long until all steps are free again, as of `time`.
    private var debt = Duration.zero
    private var time: ContinuousClock.Instant

    init(at now: ContinuousClock.Instant) { time = now }

    /// How long until a step is free.
    mutating func wait(at now: ContinuousClock.Instant) -> Duration {
        debt = max(.zero, debt - max(.zero, now - time))
        time = max(time, now)
        return max(.zero, debt - Self.pace * (Self.most - 1))
    }

    /// Counts a step, whether it was free or not. Later steps make up for one that could not wait.
    mutating func spend(at now: ContinuousClock.Instant) {
        _ = wait(at: now)
        debt = min(debt + Self.pace, Self.pace * (Self.most + 1))
    }
}
