import Glibc

/// The time of day (CLOCK_REALTIME). Root can set it, so it may jump.
public enum WallTime {
    /// Milliseconds since 1970-01-01 UTC.
    public static var milliseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
