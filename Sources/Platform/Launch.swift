import CLinux
import Glibc

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
