import Foundation
import TestSupport
import Testing

/// A shell in tmux, in which somebody types: what a person sees of prompts and answers, after a real terminal has drawn it.
final class TmuxSession {
    /// What is typed as soon as the screen shows a text.
    struct Answer {
        var wait: String
        var type: String
    }

    private let program: Program
    private let socket: [String]
    private var count = 0

    /// - Parameter environment: shell commands that prepare the session.
    init(in scratch: Scratch, environment: String) throws {
        var program = Program(scratch: scratch)
        program.executable = "/usr/bin/tmux"
        program.environment["TERM"] = "xterm"
        program.environment["HOME"] = scratch.path
        self.program = program
        socket = ["-S", scratch.file("tmux"), "-f", "/dev/null"]
        // Wide enough that no line of Coffer's is broken by the terminal.
        try tmux("new-session", "-d", "-x", "200", "-y", "200", "-s", "me", "PS1= PS2= exec /bin/sh")
        #expect(try run(environment, []).status == 0)
    }

    // A server that is gone needs no ending.
    deinit { _ = try? tmux("kill-server") }

    @discardableResult private func tmux(_ words: String...) throws -> String {
        let result = try program.run(socket + words)
        try #require(result.status == 0, "tmux \(words[0]): \(result)")
        return result.text
    }

    private func type(_ text: String) throws {
        if !text.isEmpty { try tmux("send-keys", "-t", "me", "-l", "--", text) }
        try tmux("send-keys", "-t", "me", "Enter")
    }

    private var screen: String { get throws { try tmux("capture-pane", "-t", "me", "-p", "-J") } }

    private func wait(for text: String, after count: Int = 1) throws -> String {
        let deadline = ContinuousClock.now + patience
        while true {
            let seen = try screen
            if seen.components(separatedBy: text).count > count { return seen }
            try #require(ContinuousClock.now < deadline, "“\(text)” is not on the screen:\n\(seen)")
            usleep(20_000)
        }
    }

    /// Types a line, answers what it asks, and waits for its end.
    /// - Returns: what is on the screen after the line itself, without the shell's own words.
    func run(_ line: String, _ answers: [Answer]) throws -> (text: String, status: Int) {
        // What the line before has printed must not be taken for this one's.
        try tmux("send-keys", "-t", "me", "-R")
        count += 1
        // The typed line has the words apart, so that only the printed one is found.
        try type("clear; \(line); echo \"end \"\(count)\" $?\"")
        for (index, answer) in answers.enumerated() {
            _ = try wait(for: answer.wait, after: answers.prefix(index).count { $0.wait == answer.wait } + 1)
            try type(answer.type)
        }
        let end = "end \(count) "
        let parts = try wait(for: end).components(separatedBy: end)
        let status = try #require(parts.last?.split(separator: "\n").first.flatMap { Int($0) })
        return (parts.dropLast().joined(separator: end), status)
    }
}
