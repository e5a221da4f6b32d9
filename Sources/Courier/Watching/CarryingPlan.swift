/// When a program that carries by itself does what. A pure value: it is told the time and what has happened, and says what
/// comes next. Nothing makes it act all the time: each thing that fails is tried later and later.
package struct CarryingPlan: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package enum Step: Sendable, Equatable {
        /// Ask the broker to tell what happens in the vault.
        case listen
        /// Carry once in each direction.
        case carry
        /// Nothing until then, unless something happens.
        case wait(until: Instant)
    }

    package enum Notice: Sendable, CaseIterable {
        /// Something may be new in the folder.
        case folder
        /// Items were changed here, or what happened is not known.
        case items
        case locked
        case unlocked
        /// The machine has slept, or its clock was set.
        case woken
        /// The folder may be another one now.
        case setting
    }

    /// How an exchange went.
    package enum Outcome: Sendable {
        case carried
        /// The vault is locked. That is no failure, and nobody is asked.
        case locked
        case failed
        /// The broker is not there.
        case unheard
    }

    private var isListening = false
    private var isLocked = false
    private var listenAt: Instant
    private var carryAt: Instant
    /// What happens before then does not make it carry.
    private var restUntil: Instant
    private var unheard = 0
    private var failures = 0

    package init(at now: Instant) { (listenAt, carryAt, restUntil) = (now, now, now) }

    package func next(at now: Instant) -> Step {
        if !isListening, now >= listenAt { return .listen }
        // Without a broker there is nothing to carry.
        let due = max(carryAt, restUntil)
        if unheard == 0, now >= due { return .carry }
        guard !isListening else { return .wait(until: due) }
        return .wait(until: unheard == 0 ? min(listenAt, due) : listenAt)
    }

    package mutating func noticed(_ notice: Notice, at now: Instant) {
        switch notice {
        case .locked: isLocked = true
        case .folder, .items: if !isLocked { carrySoon(now, CarryingLimits.settling) }
        case .unlocked, .setting:
            isLocked = false
            restart(now)
            carrySoon(now, CarryingLimits.settling)
        case .woken:
            // Networks and disks need a moment, too.
            restart(now)
            listenAt = min(listenAt, now + CarryingLimits.waking)
            carrySoon(now, CarryingLimits.waking)
        }
    }

    /// The broker tells what happens from now on. What happened before is not known.
    package mutating func listening(at now: Instant) {
        (isListening, isLocked, unheard) = (true, false, 0)
        restart(now)
        carrySoon(now, .zero)
    }

    /// The broker tells nothing.
    /// - Parameters:
    ///   - isThere: whether it answers all the same. It is then asked from time to time.
    ///   - spread: random, from 0 to 1.
    package mutating func notListening(isThere: Bool, at now: Instant, spread: Double) {
        isListening = false
        if isThere { unheard = 0 } else { unheard += 1 }
        listenAt = now + (isThere ? CarryingLimits.regular : CarryingLimits.pause(after: unheard)) * (0.5 + spread)
    }

    /// - Parameters:
    ///   - duration: how long the exchange took.
    ///   - spread: random, from 0 to 1.
    ///   - isRemote: whether a server is asked, which others ask, too.
    ///   - wanted: after how long it wants to be asked again.
    package mutating func ended(
        _ outcome: Outcome, after duration: Duration, at now: Instant, spread: Double, isRemote: Bool = false,
        wanted: Duration? = nil
    ) {
        carryAt = now + CarryingLimits.regular * (0.5 + spread)
        // Somebody who fills the folder all the time does not keep a processor busy.
        restUntil = now + min(max(duration * CarryingLimits.rest, CarryingLimits.settling), CarryingLimits.longest)
        switch outcome {
        case .carried: failures = 0
        case .locked: (isLocked, failures) = (true, 0)
        case .failed:
            failures += 1
            let pause = CarryingLimits.pause(after: failures, isRemote: isRemote) * (0.5 + spread)
            // Not all come back at the same moment.
            restUntil = now + max(pause, wanted.map { $0 * (1 + spread / 2) } ?? .zero)
            carryAt = restUntil
        case .unheard: notListening(isThere: false, at: now, spread: spread)
        }
    }

    private mutating func carrySoon(_ now: Instant, _ pause: Duration) { carryAt = min(carryAt, now + pause) }

    /// What has failed can go well now.
    private mutating func restart(_ now: Instant) { (failures, restUntil) = (0, min(restUntil, now)) }
}

/// The times of a program that carries by itself.
package enum CarryingLimits {
    /// Between two exchanges if nothing happens, give or take half of it. Networks tell nobody what happens in a folder.
    static let regular: Duration = .seconds(300)
    /// Several files come at once. An exchange takes all of them.
    static let settling: Duration = .milliseconds(300)
    /// After a sleep.
    static let waking: Duration = .seconds(2)
    /// An exchange is followed by a rest of so many times its own length.
    static let rest = 4
    /// The longest pause after a server has failed.
    static let longestRemote: Duration = .seconds(900)
    /// The longest rest.
    static let longest: Duration = .seconds(60)

    /// After so many failures in a row, give or take half of it.
    static func pause(after failures: Int, isRemote: Bool = false) -> Duration {
        min(.seconds(1 << min(failures, 10)), isRemote ? longestRemote : longest)
    }
}
