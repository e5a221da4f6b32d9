import CLinux
import Glibc

/// Starts and ends the processes that this one starts.
public enum ChildProcess {
    /// Starts this very program again. The child has the descriptor as its number 3 and no blocked signals. Its environment only makes the C library
    /// wipe freed memory and keeps Swift from printing memory when it crashes.
    /// - Returns: the child's pid.
    public static func startSelf(_ arguments: [String], descriptor: Int32) throws(SystemError) -> Int32 {
        // The link remains valid if a newer file has replaced this program's.
        try Launch(
            environment: [
                "GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0", "SWIFT_BACKTRACE=enable=no",
            ],
            descriptors: [(descriptor, 3)]
        ).start("/proc/self/exe", arguments)
    }

    /// Reaps the children that have ended, without waiting, and returns their pids.
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
    /// - Returns: whether it has ended.
    public static func wait(for pid: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        // Without a descriptor, or if the wait fails, the child counts as not ended.
        guard let held = try? Descriptor(adopting: checked("watch process \(pid)") { coffer_pidfd_open(pid) }),
            (try? held.waitToRead(until: deadline)) == true
        else { return false }
        var status: Int32 = 0
        return unsafe waitpid(pid, &status, WNOHANG) == pid
    }

    public static func signal(_ pid: Int32, _ number: Int32) { kill(pid, number) }

    /// From now on, processes that descendants leave behind become this process's children, so that ``endAll()`` finds them.
    public static func adoptOrphans() throws(SystemError) {
        try checked("adopt orphaned processes") { coffer_set_child_subreaper() }
    }

    /// Kills every descendant and waits for them, for at most a second. Call it only in a process that is about to end.
    public static func endAll() {
        let deadline = ContinuousClock.now + ProgramLimits.descendants
        while ContinuousClock.now < deadline {
            _ = reap()
            let children = all()
            if children.isEmpty { return }
            for child in children { kill(child, SIGKILL) }
            usleep(2000)
        }
    }

    /// Kills the children that this process did not start itself. ``reap()`` reaps them with the others.
    public static func endOrphans(except isOwn: (Int32) -> Bool) {
        for child in all() where !isOwn(child) { kill(child, SIGKILL) }
    }

    /// Ends this process at once, without waiting for other threads.
    public static func exitNow(_ code: Int32) -> Never { _exit(code) }

    private static func all() -> [Int32] {
        // If the kernel has no such list, it counts as empty. There is no other list without gaps.
        guard let threads = try? Folder.entries("/proc/self/task") else { return [] }
        var found: [Int32] = []
        for thread in threads {
            // The thread may have ended since its folder was listed.
            guard
                let bytes = try? DurableFile.read(
                    "/proc/self/task/\(thread)/children", limit: KernelFileLimits.children)
            else {
                continue
            }
            found += String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        }
        return found
    }
}
