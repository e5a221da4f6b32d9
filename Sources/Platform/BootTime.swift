import Glibc

/// Time since the machine started, which nobody can set, and which runs on while it sleeps (CLOCK_BOOTTIME).
public enum BootTime {
    /// Milliseconds. Every process of the machine sees the same.
    public static var milliseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// What tells this start of the machine from every other (random(4)).
    public static func bootID() throws(SystemError) -> String {
        let path = "/proc/sys/kernel/random/boot_id"
        let text = String(decoding: try DurableFile.read(path, limit: 64), as: UTF8.self)
        let id = text.filter { $0.isHexDigit || $0 == "-" }
        guard id.count == 36 else { throw SystemError("read \(path)", reason: "it is not in the expected form") }
        return id
    }
}
