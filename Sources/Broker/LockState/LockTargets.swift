/// What a lock reaches. The keys are gone when these return.
struct LockTargets: Sendable {
    let lock: @Sendable (UInt32) async -> Void
    let lockAll: @Sendable () async -> Void
    /// All of a user's sessions are idle, or one is not any more.
    let idle: @Sendable (UInt32, Bool) -> Void
}
