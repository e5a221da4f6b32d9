import CLinux
import Glibc

/// Processes that this one starts.
public enum ChildProcess {
    /// Starts this very program again, with a descriptor as its number 3, no signal blocked, and nothing in its environment but what makes the
    /// C library wipe freed memory and keeps Swift from printing memory when it crashes.
    /// - Returns: the child's pid.
    public static func startSelf(_ arguments: [String], descriptor: Int32) throws(SystemError) -> Int32 {
        // The link stays good when the file has been replaced by a newer one.
        try Launch(
            environment: [
                "GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0", "SWIFT_BACKTRACE=enable=no",
            ],
            descriptors: [(descriptor, 3)]
        ).start("/proc/self/exe", arguments)
    }

    /// Takes the pids of children that have ended, without waiting.
    public static func reap() -> [Int32] {
        var ended: [Int32] = []
        var status: Int32 = 0
        while true {
            let pid = unsafe waitpid(-1, &status, WNOHANG)
            guard pid > 0 else { return ended }
            ended.append(pid)
        }
    }

    /// Waits for a child to end.
    /// - Returns: whether it has.
    public static func wait(for pid: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        // No descriptor for it: then it is not waited for.
        guard let held = try? Descriptor(adopting: checked("watch process \(pid)") { coffer_pidfd_open(pid) }),
            (try? held.waitToRead(until: deadline)) == true
        else { return false }
        var status: Int32 = 0
        return unsafe waitpid(pid, &status, WNOHANG) == pid
    }

    public static func signal(_ pid: Int32, _ number: Int32) { kill(pid, number) }

    /// From now on, whatever descendants leave behind becomes this process's child, so that ``endAll()`` finds it.
    public static func adoptOrphans() throws(SystemError) {
        try checked("adopt orphaned processes") { coffer_set_child_subreaper() }
    }

    /// Kills every descendant and waits for them, for at most a second. For a process that is about to end itself.
    public static func endAll() {
        let deadline = ContinuousClock.now + .seconds(1)
        while ContinuousClock.now < deadline {
            _ = reap()
            let children = all()
            if children.isEmpty { return }
            for child in children { kill(child, SIGKILL) }
            usleep(2000)
        }
    }

    /// Kills the children that this process has not started itself. They are reaped with the others.
    public static func endOrphans(except isOwn: (Int32) -> Bool) {
        for child in all() where !isOwn(child) { kill(child, SIGKILL) }
    }

    /// Ends this process at once; nothing that other threads are in the middle of holds it up.
    public static func exitNow(_ code: Int32) -> Never { _exit(code) }

    private static func all() -> [Int32] {
        // A list that cannot be read is empty: the kernel is built without it, and there is no other gapless one.
        guard let threads = try? Folder.entries("/proc/self/task") else { return [] }
        var found: [Int32] = []
        for thread in threads {
            // A thread may end between the two looks.
            guard let bytes = try? DurableFile.read("/proc/self/task/\(thread)/children", limit: 65_536) else {
                continue
            }
            found += String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        }
        return found
    }
}
