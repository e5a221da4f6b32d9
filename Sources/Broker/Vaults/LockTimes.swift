import Authorization
import Platform
import Synchronization

/// When each vault was last locked, open or not. The clock is the one that dates the authenticator's reusable
/// answers.
final class LockTimes: Sendable {
    private struct State {
        /// The time for all vaults. A broker that starts has no keys, so its start counts as a lock.
        var all = BootTime.milliseconds
        var single: [Owner: Int64] = [:]
    }

    private let state = Mutex(State())

    func note(_ owner: Owner) { state.withLock { $0.single[owner] = BootTime.milliseconds } }

    func noteAll() { state.withLock { $0 = State() } }

    /// In milliseconds of the boot clock.
    func last(of owner: Owner) -> Int64 { state.withLock { max($0.all, $0.single[owner] ?? 0) } }
}
