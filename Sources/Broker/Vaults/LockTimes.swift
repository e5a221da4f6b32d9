import Authorization
import Platform
import Synchronization

/// When each vault was last locked, whether it was open or not, by the clock that the authenticator's answers for reuse are dated with.
final class LockTimes: Sendable {
    private struct State {
        /// All vaults. A broker that starts has no keys: that, too, is a lock.
        var all = BootTime.milliseconds
        var single: [Owner: Int64] = [:]
    }

    private let state = Mutex(State())

    func note(_ owner: Owner) { state.withLock { $0.single[owner] = BootTime.milliseconds } }

    func noteAll() { state.withLock { $0 = State() } }

    /// In milliseconds of the boot clock.
    func last(of owner: Owner) -> Int64 { state.withLock { max($0.all, $0.single[owner] ?? 0) } }
}
