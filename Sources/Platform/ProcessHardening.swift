import CLinux
import Glibc

/// What a process that handles secrets does first.
public enum ProcessHardening {
    /// No core file, no reading of its memory by processes of the same user, no files that others can read, no death by a closed pipe.
    public static func apply() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        try checked("forbid core files") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) }
        try checked("forbid reading this process's memory") { coffer_set_dumpable(0) }
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
    }
}
