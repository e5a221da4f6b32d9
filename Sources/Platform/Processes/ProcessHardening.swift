import CLinux
import Glibc

/// The first steps of a process that handles secrets.
public enum ProcessHardening {
    /// Forbids core files, backtraces, and reading this process's memory by processes of the same user. Makes new files private, and ignores SIGPIPE. Holds the standard streams that
    /// are closed.
    /// - Returns: what another program has to get back that takes this process's place.
    @discardableResult
    public static func apply() throws(SystemError) -> ProcessInheritance {
        try StandardStreams.holdClosed()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        try checked("forbid core files") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) }
        try checked("forbid reading this process's memory") { coffer_set_dumpable(0) }
        // Swift's runtime would show a stack, which can hold secrets, and a prompt of its own.
        for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] where coffer_ignores(crash) == 0 {
            signal(crash, SIG_DFL)
        }
        let ignoresBrokenPipes = coffer_ignores(SIGPIPE) != 0
        let mask = umask(0o077)
        signal(SIGPIPE, SIG_IGN)
        return ProcessInheritance(mask: mask, ignoresBrokenPipes: ignoresBrokenPipes)
    }
}

/// What ``ProcessHardening`` changes and a program started in this process's place must not notice. Core files stay forbidden.
public struct ProcessInheritance: Sendable, Equatable {
    /// The permissions that new files lack (umask(2)).
    public let mask: UInt32
    /// Whether SIGPIPE was ignored.
    public let ignoresBrokenPipes: Bool

    /// Sets this process back. Call it when it is about to become another program.
    func restore() {
        restoreMask()
        if !ignoresBrokenPipes { signal(SIGPIPE, SIG_DFL) }
    }

    /// Sets back the permissions of new files only. Programs that this process starts inherit them.
    func restoreMask() { umask(mask) }
}

/// Replaces what a process inherits and should not trust.
public enum OwnProcess {
    /// Empties the environment, so that modules and their programs see nothing that a caller set.
    public static func clearEnvironment() throws(SystemError) {
        try checked("clear the environment") { clearenv() }
        // Programs that modules start may need a search path.
        try checked("set the search path") { unsafe setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1) }
    }

    /// Sets one variable, for modules that can be told no other way. Call it before other threads start.
    public static func set(_ name: String, to value: String) throws(SystemError) {
        try checked("set \(name)") { unsafe setenv(name, value, 1) }
    }

    /// Closes all descriptors from this number on.
    public static func closeDescriptors(from first: Int32) throws(SystemError) {
        try checked("close inherited descriptors") { coffer_close_from(first) }
    }

    /// Takes over a descriptor that was passed by number. Programs that are started later do not inherit it.
    public static func adopt(_ number: Int32) throws(SystemError) -> Descriptor {
        try checked("take over descriptor \(number)") { fcntl(number, F_SETFD, FD_CLOEXEC) }
        return Descriptor(adopting: number)
    }

    /// The effective uid of this process.
    public static var effectiveUser: UInt32 { geteuid() }

    /// The number of this process.
    public static var number: Int32 { getpid() }

    /// The environment. What is not UTF-8 is repaired: no name and no value that Coffer looks for needs it.
    public static var environment: [String: String] {
        var variables: [String: String] = [:]
        for entry in RawWords.environment() {
            guard let sign = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            variables[String(decoding: entry[..<sign], as: UTF8.self)] =
                String(decoding: entry[(sign + 1)...], as: UTF8.self)
        }
        return variables
    }
}

/// Gives up rights of this process for good.
public enum ProcessRights {
    /// Becomes another user, with that user's main group only, and can never become anybody else.
    /// - Throws: ``SystemError`` if this process may not do that, or is not exactly that user afterwards.
    public static func drop(to account: Account) throws(SystemError) {
        if geteuid() == 0 {
            try checked("give up the groups") { setgroups(0, nil) }
            try checked("take the group \(account.gid)") { coffer_setresgid(account.gid) }
            try checked("become uid \(account.uid)") { coffer_setresuid(account.uid) }
        }
        try checked("give up new rights") { coffer_set_no_new_privileges() }
        guard getuid() == account.uid, geteuid() == account.uid, account.uid == 0 || setuid(0) != 0 else {
            throw SystemError("become uid \(account.uid)", reason: "the process is uid \(geteuid())")
        }
    }

    /// Has the kernel end this process after this many seconds, even while it waits. 0 cancels that.
    public static func endAfter(seconds: UInt32) { alarm(seconds) }
}
