/// What a lock reaches. Who hears logind waits for none of the locks: they wipe, and leave what takes time for later.
struct LockTargets: Sendable {
    /// A user's vault; its keys are gone when this returns. Those of groups that it kept open follow.
    let lock: @Sendable (UInt32) -> Void
    /// All vaults; all keys are gone when this returns.
    let lockAll: @Sendable () -> Void
    /// Has what was written counted, as far as there is time.
    let advanceEpoch: @Sendable () async -> Void
    /// All of a user's sessions are idle, or one is not any more.
    let idle: @Sendable (UInt32, Bool) -> Void
}
