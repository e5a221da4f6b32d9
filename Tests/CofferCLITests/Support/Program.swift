import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// A program that runs as a process in a session of its own, with a pseudo-terminal or with no terminal. By default it
/// is the built `coffer`.
struct Program {
    var environment: [String: String] = [:]
    var scratch: Scratch
    var executable = Self.path

    enum Input { case bytes([UInt8]), terminal }
    enum Sink { case file, terminal }

    /// What a person at the terminal waits for and then types.
    struct Turn {
        var wait: String
        var type: String
        /// What else happens before the person types.
        var act: () throws -> Void = {}
        /// Typed after the text, for what is no text.
        var bytes: [UInt8] = []

        init(wait: String, type: String = "", bytes: [UInt8] = [], act: @escaping () throws -> Void = {}) {
            (self.wait, self.type, self.bytes, self.act) = (wait, type, bytes, act)
        }
    }

    struct Result {
        var status: Int32
        var output: [UInt8]
        var errors: String
        /// Everything that the terminal showed.
        var screen: String
        /// Whether the terminal echoes input at the end.
        var echoes: Bool

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    static var path: String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "coffer").path()
    }

    func run(
        _ arguments: String..., input: Input = .bytes([]), output: Sink = .file, turns: [Turn]? = nil
    ) throws -> Result {
        try run(arguments, input: input, output: output, turns: turns)
    }

    /// - Parameter turns: nil for a process without a terminal.
    func run(
        _ arguments: [String], input: Input = .bytes([]), output: Sink = .file, turns: [Turn]? = nil
    ) throws -> Result {
        let tag = String(UInt32.random(in: 0 ... .max), radix: 36)
        let files = ["in", "out", "err"].map { scratch.file("\(tag).\($0)") }
        if case .bytes(let bytes) = input { try Data(bytes).write(to: URL(filePath: files[0])) }
        let terminal = turns == nil ? nil : try PseudoTerminal()

        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let writing = O_WRONLY | O_CREAT | O_TRUNC
        // A session leader's first terminal becomes its controlling terminal. It stays open until the process ends,
        // which shows the end to the other side.
        if let terminal { unsafe posix_spawn_file_actions_addopen(&actions, 9, terminal.slave, O_RDWR, 0) }
        switch input {
        case .bytes: unsafe posix_spawn_file_actions_addopen(&actions, 0, files[0], O_RDONLY, 0)
        case .terminal: unsafe posix_spawn_file_actions_adddup2(&actions, 9, 0)
        }
        switch output {
        case .file:
            unsafe posix_spawn_file_actions_addopen(&actions, 1, files[1], writing, 0o600)
        case .terminal: unsafe posix_spawn_file_actions_adddup2(&actions, 9, 1)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 2, files[2], writing, 0o600)

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Signals reach it, no matter how the process that runs the tests handles them.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGTERM, SIGHUP, SIGINT] { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let setSession: Int32 = 0x80  // POSIX_SPAWN_SETSID
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(setSession | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var variables = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"]
        variables.merge(environment) { $1 }
        let words = unsafe ([executable] + arguments).map { unsafe strdup($0) } + [nil]
        let pairs = unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { _ = unsafe (words + pairs).map { unsafe free($0) } }
        var pid: pid_t = 0
        let spawned = unsafe posix_spawn(&pid, executable, &actions, &attributes, words, pairs)
        try #require(spawned == 0, "coffer cannot be started: \(spawned)")

        let limit = ContinuousClock.now + patience
        var process = try ProcessHandle(pid: pid)
        var screen = ""
        if let terminal, let turns { screen = try terminal.play(turns, until: limit, watching: process) }
        let status = try process.wait(until: limit)
        if let terminal { screen += terminal.rest() }
        // Output that went to the terminal left no file.
        let output = Array((try? Data(contentsOf: URL(filePath: files[1]))) ?? Data())
        return Result(
            status: status, output: output,
            errors: String(decoding: try Data(contentsOf: URL(filePath: files[2])), as: UTF8.self), screen: screen,
            echoes: terminal?.echoes ?? true)
    }
}
