import Glibc

/// The time of day (CLOCK_REALTIME). Root can set it, so it may jump.
public enum WallTime {
    /// Whole seconds since 1970-01-01 UTC, and the nanoseconds after them.
    public static var now: (seconds: Int64, nanoseconds: Int64) {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return (Int64(time.tv_sec), Int64(time.tv_nsec))
    }

    /// Milliseconds since 1970-01-01 UTC.
    public static var milliseconds: Int64 {
        let now = now
        return now.seconds * 1000 + now.nanoseconds / 1_000_000
    }
}
