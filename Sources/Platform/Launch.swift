import CLinux
import Glibc

/// How a process is started: with no signal blocked or ignored.
struct Launch {
    /// `NAME=VALUE`; nil for this process's own.
    var environment: [String]?
    /// Descriptors of this process, and the numbers that the child has them under. All others have to be close-on-exec.
    var descriptors: [(own: Int32, number: Int32)] = []
    /// Apart from this process's group, so that a signal for the one is none for the other.
    var leadsGroup = false

    /// - Parameter arguments: the program's name first.
    /// - Returns: the child's pid.
    func start(_ path: String, _ arguments: [String]) throws(SystemError) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (own, number) in descriptors { unsafe posix_spawn_file_actions_adddup2(&actions, own, number) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))

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
