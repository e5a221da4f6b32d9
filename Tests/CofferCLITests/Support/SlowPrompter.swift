import Foundation
import TestSupport
import Testing

/// A program that asks for `coffer` and never answers, like a dialog that nobody sees. It is a script, and a program
/// that the script has started.
struct SlowPrompter: Sendable {
    /// The kind of prompter that it stands for.
    enum Kind: String, CaseIterable, Sendable { case askpass, pinentry }

    private let scratch: Scratch
    private let display: FakeDisplay
    /// The environment with which `coffer` asks through this program.
    let environment: [String: String]

    /// - Parameters:
    /// - isStubborn: it does not end when it is asked to.
    /// - act: a shell command that runs instead of asking.
    init(_ kind: Kind, in scratch: Scratch, isStubborn: Bool = false, act: String = ":") throws {
        self.scratch = scratch
        let until = kind == .askpass ? "" : "echo OK; while read -r l && [ \"$l\" != GETPIN ]; do echo OK; done"
        let program = try scratch.program(
            kind.rawValue,
            """
            #!/bin/sh
            \(until)
            \(isStubborn ? "trap '' TERM" : "")
            sleep 6000 &
            echo "$! $$ $PPID" >\(scratch.file("pids"))
            \(act)
            wait
            """)
        let display = try FakeDisplay(in: scratch)
        self.display = display
        environment =
            switch kind {
            case .askpass: ["COFFER_ASKPASS": program]
            case .pinentry: ["WAYLAND_DISPLAY": display.name, "PATH": "\(scratch.path):/usr/bin:/bin"]
            }
    }

    /// Waits until all of it ends: the two programs, and what started them.
    /// - Returns: the processes that still run after some time. They are then killed.
    func leftovers(after limit: Duration = patience) throws -> [Int32] {
        let words = String(decoding: try scratch.contents("pids"), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        let pids = words.compactMap { Int32($0) }
        try #require(pids.count == 3)
        let deadline = ContinuousClock.now + limit
        while pids.contains(where: Self.isRunning), ContinuousClock.now < deadline { usleep(10_000) }
        let left = pids.filter(Self.isRunning)
        for pid in left { kill(pid, SIGKILL) }
        return left
    }

    /// A process that has ended counts as ended, even if nobody has waited for it.
    private static func isRunning(_ pid: Int32) -> Bool {
        guard let stat = FileManager.default.contents(atPath: "/proc/\(pid)/stat"),
            let state = String(decoding: stat, as: UTF8.self).split(separator: ") ").last?.first
        else { return false }
        return state != "Z" && state != "X"
    }
}
