import CLinux
import Glibc

/// The first steps of a process that handles secrets.
public enum ProcessHardening {
    /// Forbids core files and reading this process's memory by processes of the same user. Makes new files private, and ignores SIGPIPE.
    public static func apply() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        try checked("forbid core files") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) }
        try checked("forbid reading this process's memory") { coffer_set_dumpable(0) }
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
    }
}
