import Foundation
import TestSupport

/// The result of a finished program: exit code, output, errors.
struct Outcome: Sendable, CustomStringConvertible {
    /// The exit code, or minus the signal's number if a signal ended it.
    let code: Int32
    let output: [UInt8]
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    /// All that a person sees.
    var all: String { text + errors }
    var description: String { "exit \(code)\nout: \(text.prefix(2000))\nerr: \(errors.prefix(2000))" }
}

struct CommandTimedOut: Error { let command: [String] }

struct CommandNotStarted: Error {
    let command: [String]
    let errno: Int32
}

/// Runs a real program to its end, with a time limit, in a session of its own. So it does not have the tests' terminal.
///
/// By posix_spawn, because hundreds of Foundation's processes in one test process leave it without descriptors.
struct Command: Sendable {
    var program: String
    var arguments: [String]
    var environment: [String: String]
    var input: [UInt8] = []
    var limit: Duration = patience

    func run() throws -> Outcome {
        // Files, not pipes: nothing can block on a full one, and a daemon that keeps one open delays nobody.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coffer-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A folder that stays in /tmp is not a failure of the test.
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["in", "out", "err"].map { folder.appendingPathComponent($0) }
        try Data(input).write(to: files[0])
        let pid = try start(files.map(\.path))
        let code = try wait(for: pid)
        return Outcome(
            code: code, output: try [UInt8](Data(contentsOf: files[1])),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
    }

    private func start(_ files: [String]) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, files[0], O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, files[1], O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, files[2], O_WRONLY | O_CREAT, 0o600)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The threads of tests block most signals. A TPM simulator that inherits that does not end when it is told to.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        // POSIX_SPAWN_SETSID, which is hidden without _GNU_SOURCE.
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | 0x80)

        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe variables.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let result = unsafe posix_spawn(&pid, program, &actions, &attributes, &words, &variables)
        guard result == 0 else { throw CommandNotStarted(command: [program] + arguments, errno: result) }
        return pid
    }

    private func wait(for pid: pid_t) throws -> Int32 {
        let deadline = ContinuousClock.now + limit
        var status: Int32 = 0
        while true {
            let ended = unsafe waitpid(pid, &status, WNOHANG)
            if ended == pid { break }
            guard ContinuousClock.now < deadline else {
                kill(pid, SIGKILL)
                unsafe waitpid(pid, &status, 0)
                throw CommandTimedOut(command: [program] + arguments)
            }
            usleep(2000)
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }
}
