/// How often a vault's counter may be moved. Each move is a write of the TPM's memory, which wears, and any program of the owner's can ask for one.
struct StepBudget: Sendable {
    /// The steps that may follow each other at once.
    static let most = 60
    /// The time in which another one becomes free.
    static let pace = Duration.seconds(20)

    /// How long it takes until all steps are free again, at the moment of the last look.
    private var debt = Duration.zero
    private var time: ContinuousClock.Instant

    init(at now: ContinuousClock.Instant) { time = now }

    /// How long it takes until a step is free.
    mutating func wait(at now: ContinuousClock.Instant) -> Duration {
        debt = max(.zero, debt - max(.zero, now - time))
        time = max(time, now)
        return max(.zero, debt - Self.pace * (Self.most - 1))
    }

    /// Counts a step, whether it was free or not: what must not wait is paid for by those that come after it.
    mutating func spend(at now: ContinuousClock.Instant) {
        _ = wait(at: now)
        debt = min(debt + Self.pace, Self.pace * (Self.most + 1))
    }
}
