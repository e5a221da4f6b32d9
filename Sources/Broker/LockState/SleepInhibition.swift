import Platform
import SystemBus

/// What keeps the machine from sleeping until keys are wiped, or when to ask logind for it again: logind asks polkit, which may
/// have to be started first, or be installed later.
struct SleepInhibition: ~Copyable {
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(60)

    private var descriptor: Descriptor?
    private var pause = firstPause
    /// When to ask again; nil while it is held, or not wanted.
    private(set) var due: ContinuousClock.Instant?

    var isHeld: Bool { descriptor != nil }

    /// Asks logind, unless it is held already.
    /// - Throws: `BusError` where logind gives none; ``due`` says when to ask again.
    mutating func take(_ logind: borrowing Logind) throws(BusError) {
        guard descriptor == nil else { return }
        do throws(BusError) {
            descriptor = try logind.inhibitSleep()
            due = nil
            pause = Self.firstPause
        } catch {
            due = .now + pause
            pause = min(pause * 2, Self.longestPause)
            throw error
        }
    }

    /// The machine may sleep.
    mutating func release() {
        descriptor = nil
        due = nil
        pause = Self.firstPause
    }
}
