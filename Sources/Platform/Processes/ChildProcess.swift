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
            environment: wiping, descriptors: [(descriptor, 3)]
        ).start("/proc/self/exe", arguments)
    }

    /// Makes the C library wipe freed memory, and keeps Swift from printing memory when it crashes.
    static let wiping = [
        "GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0", "SWIFT_BACKTRACE=enable=no",
    ]

    /// An environment with that, for a program that gets secrets.
    public static func wiping(besides environment: [String: String]) -> [String: String] {
        var whole = environment
        for pair in wiping {
            let parts = pair.split(separator: "=", maxSplits: 1)
            whole[String(parts[0])] = String(parts[1])
        }
        return whole
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
            // `try?`: the thread may have ended since its folder was listed.
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

/// This very program, started again for a separate task, with a socket to it as its descriptor 3. The helper sees the socket's end when this value
/// ends.
public struct HelperProcess: ~Copyable {
    private let line: UnixSocket
    private let pid: Int32

    /// - Parameters:
    ///   - arguments: the program's name first.
    ///   - message: the helper's first message. It must fit an empty socket, so that sending it never waits for the helper.
    public init(_ arguments: [String], telling message: [UInt8]) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try checked("make a pair of sockets") { unsafe socketpair(AF_UNIX, type, 0, &ends) }
        let line = UnixSocket(adopting: Descriptor(adopting: ends[0]))
        let other = Descriptor(adopting: ends[1])
        try line.send(message, until: .now)
        pid = try ChildProcess.startSelf(arguments, descriptor: other.number)
        self.line = line
    }

    /// Closes the socket, which tells the helper to end, and waits for that.
    /// - Returns: whether the helper has ended.
    public consuming func finish(until deadline: ContinuousClock.Instant) -> Bool {
        line.shutDown()
        return ChildProcess.wait(for: pid, until: deadline)
    }
}

/// The setup of a new process. It starts with no signal blocked, and ignores none of those in `restored`.
struct Launch {
    /// How the new process is separated from this one.
    enum Leadership: Int32 {
        case none = 0
        /// It leads a process group, so that signals to this process's group do not reach it.
        case group = 0x02
        /// It leads a session without a terminal (POSIX_SPAWN_SETSID, which is hidden without _GNU_SOURCE).
        case session = 0x80
    }

    /// `NAME=VALUE`; nil for this process's own.
    var environment: [String]?
    /// Descriptors of this process, and their numbers in the child. The child gets no others but the three standard ones.
    var descriptors: [(own: Int32, number: Int32)] = []
    var leads = Leadership.none
    /// The folder in which the child starts; nil for this process's own.
    var directory: String?
    /// The signals that the child does not ignore, even if this process does.
    var restored: [Int32] = [SIGPIPE]

    /// - Parameter arguments: the program's name first.
    /// - Returns: the child's pid.
    func start(_ path: String, _ arguments: [String]) throws(SystemError) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (own, number) in descriptors { unsafe posix_spawn_file_actions_adddup2(&actions, own, number) }
        let last = descriptors.map(\.number).reduce(2, max)
        unsafe coffer_spawn_closing_from(&actions, last + 1)
        if let directory { unsafe coffer_spawn_in_folder(&actions, directory) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in restored { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | leads.rawValue))

        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var variables = unsafe environment.map { list in unsafe list.map { unsafe strdup($0) } + [nil] }
        defer { unsafe variables?.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let code =
            if unsafe variables != nil {
                unsafe posix_spawn(&pid, path, &actions, &attributes, &words, &variables!)
            } else {
                unsafe posix_spawn(&pid, path, &actions, &attributes, &words, coffer_environment())
            }
        guard code == 0 else { throw SystemError("start \(path)", errno: code) }
        return pid
    }
}
