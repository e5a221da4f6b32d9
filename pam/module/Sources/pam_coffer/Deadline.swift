import CPAMModule

/// The moment at which the login continues, even if the authenticator has not answered. It uses the clock that nobody can set.
struct Deadline {
    private let end: Int

    init(milliseconds: Int) { end = Self.now() + milliseconds }

    /// The milliseconds that are left; 0 if the deadline has passed.
    var left: CInt { CInt(max(0, end - Self.now())) }

    private static func now() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
