import Platform
import SystemBus

/// Keeps the machine from sleeping until the keys are wiped. If logind refuses, this keeps the time of the next try.
/// logind asks polkit, which may have to start first or may be installed later.
struct SleepInhibition: ~Copyable {
    private var descriptor: Descriptor?
    private var pause = LockLimits.firstPause
    /// When to ask again; nil while the inhibitor is held or not wanted.
    private(set) var due: ContinuousClock.Instant?

    var isHeld: Bool { descriptor != nil }

    /// Asks logind for the inhibitor, unless it is already held.
    /// - Throws: `BusError` if logind gives none; ``due`` is then the time of the next try.
    mutating func take(_ logind: borrowing Logind) throws(BusError) {
        guard descriptor == nil else { return }
        do throws(BusError) {
            descriptor = try logind.inhibitSleep()
            due = nil
            pause = LockLimits.firstPause
        } catch {
            due = .now + pause
            pause = min(pause * 2, LockLimits.longestPause)
            throw error
        }
    }

    /// The machine may sleep from now on.
    mutating func release() {
        descriptor = nil
        due = nil
        pause = LockLimits.firstPause
    }
}
