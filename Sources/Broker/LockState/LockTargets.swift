/// The actions of a lock. The thread that listens to logind does not wait for locks: they wipe the keys and leave
/// slow work for later.
struct LockTargets: Sendable {
    /// Locks a user's vault; its keys are gone when this returns. The groups' vaults that it kept open follow later.
    let lock: @Sendable (UInt32) -> Void
    /// Locks all vaults; all keys are gone when this returns.
    let lockAll: @Sendable () -> Void
    /// Advances the epoch for written changes, as far as there is time.
    let advanceEpoch: @Sendable () async -> Void
    /// All of a user's sessions are idle, or one of them is active again.
    let idle: @Sendable (UInt32, Bool) -> Void
}
