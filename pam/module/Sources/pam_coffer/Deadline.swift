import CPAMModule

/// The moment at which the login goes on, whatever the authenticator does. By the clock that nobody sets.
struct Deadline {
    private let end: Int

    init(milliseconds: Int) { end = Self.now() + milliseconds }

    /// Milliseconds that are left; 0 when there are none.
    var left: CInt { CInt(max(0, end - Self.now())) }

    private static func now() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
