import Glibc

/// Time since the machine started (CLOCK_BOOTTIME). Nobody can set it, and it continues while the machine sleeps.
public enum BootTime {
    /// In milliseconds, the same for every process of the machine.
    public static var milliseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The ID that tells this start of the machine from every other (random(4)).
    public static func bootID() throws(SystemError) -> String {
        let path = "/proc/sys/kernel/random/boot_id"
        let text = String(decoding: try DurableFile.read(path, limit: KernelFileLimits.bootID), as: UTF8.self)
        let id = text.filter { $0.isHexDigit || $0 == "-" }
        guard id.count == 36 else { throw SystemError("read \(path)", reason: "it is not in the expected form") }
        return id
    }
}

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
