import CLinux
import Glibc

/// Runs this very program again as a child, and stays beside it. This process adopts what the child leaves behind.
/// It stops with the child, and ends with it.
public enum AttendedRun {
    /// Signals that people and supervisors send to a process, and mean the program that it runs.
    private static let forwarded = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]
    /// A signal from the kernel, such as a key in the terminal (SI_KERNEL). The child's whole process group has had it.
    private static let fromKernel: Int32 = 0x80

    /// - Parameter arguments: the program's name first. The child has this process's environment and open files.
    /// - Returns: only if the child cannot be started. Otherwise this process ends as the child does.
    public static func run(_ arguments: [[UInt8]], restoring inheritance: ProcessInheritance) throws(SystemError)
        -> Never
    {
        var mask = sigset_t()
        _ = unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        // This process neither reads nor writes at the terminal, so a stop for that reason is the child's.
        let signals = try SignalDescriptor(forwarded + JobControl.signals + [SIGTTIN, SIGTTOU])
        // With an ignored SIGCHLD, a process cannot wait for its children.
        signal(SIGCHLD, SIG_DFL)
        try ChildProcess.adoptOrphans()
        inheritance.restore()
        let child = try start(arguments, mask)
        while true {
            _ = try Readiness.wait(for: [(signals.number, .input)], until: nil)
            for arrival in take(signals) where arrival.number != SIGCHLD && arrival.origin != fromKernel {
                kill(child, arrival.number)
            }
            switch reap(child) {
            case .ended(let status): end(status)
            case .stopped: JobControl.stop()
            case nil: break
            }
        }
    }

    private static func take(_ signals: borrowing SignalDescriptor) -> [(number: Int32, origin: Int32)] {
        var taken: [(number: Int32, origin: Int32)] = []
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while unsafe read(signals.number, &information, size) == size {
            taken.append((Int32(information.ssi_signo), information.ssi_code))
        }
        return taken
    }

    /// Reaps the child and the adopted processes that have ended.
    /// - Returns: what became of the child; nil if it runs on.
    private static func reap(_ child: Int32) -> ChildChange? {
        var found: ChildChange?
        var status: Int32 = 0
        while true {
            let pid = unsafe waitpid(-1, &status, WNOHANG | WUNTRACED)
            guard pid > 0 else { return found }
            if pid == child { found = ChildChange(status) }
        }
    }

    private static func end(_ status: Int32) -> Never {
        let number = status & 0x7F
        guard number != 0 else { exit((status >> 8) & 0xFF) }
        SignalEnd.end(by: number)
    }

    private static func start(_ arguments: [[UInt8]], _ mask: sigset_t) throws(SystemError) -> Int32 {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var mask = mask
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = unsafe arguments.map { bytes in
            unsafe (bytes + [0]).withUnsafeBytes { buffer in
                unsafe strdup(buffer.baseAddress!.assumingMemoryBound(to: CChar.self))
            }
        }
        defer { unsafe words.forEach { unsafe free($0) } }
        unsafe words.append(nil)
        var pid: pid_t = 0
        // The link remains valid if a newer file has replaced this program's.
        let code = unsafe posix_spawn(&pid, "/proc/self/exe", nil, &attributes, &words, coffer_environment())
        guard code == 0 else { throw SystemError("start this program again", errno: code) }
        return pid
    }
}
