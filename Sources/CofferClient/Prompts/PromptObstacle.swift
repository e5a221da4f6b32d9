import Platform

/// Why nobody can be asked here, and the way out.
package struct PromptObstacle: Sendable, Equatable {
    /// The end of a sentence: "there is no terminal to ask at".
    package let reason: String
    private let advice: String?

    private init(_ reason: String, _ advice: String? = nil) {
        self.reason = reason
        self.advice = advice
    }

    /// - Parameter command: the command to run in a terminal; nil for a program that uses the library.
    package func advice(_ command: String?) -> String {
        let plain =
            command.map { "run in a terminal: \($0)" }
            ?? "run the program in a terminal, or name a program that asks in COFFER_ASKPASS"
        guard let advice else { return plain }
        return command == nil ? advice : advice.replacing(Self.placeholder, with: command ?? "")
    }

    private static let placeholder = "the program"

    /// The program is in the background of its terminal.
    static let background = PromptObstacle(
        "it runs in the background of its terminal", "bring it to the foreground with fg, or run there: the program")
    static let noTerminal = PromptObstacle("there is no terminal to ask at")
    static let noTerminalOverSSH = PromptObstacle(
        "there is no terminal to ask at", "run with ssh -t: the program, or keep this open in a terminal: coffer agent")
    static let scheduled = PromptObstacle(
        "a scheduled job has no terminal to ask at",
        "store what it reads without --require in a service account's vault (coffer vault create)")
    static func deadDisplay(_ names: String) -> PromptObstacle {
        PromptObstacle(
            "display \(names) does not answer, and there is no terminal to ask at",
            "run in a terminal: the program, or keep this open in one: coffer agent")
    }
    static let noPinentry = PromptObstacle(
        "no pinentry shows windows here, and there is no terminal to ask at",
        "install pinentry-gnome3 or pinentry-qt, or run in a terminal: the program")

    /// - Parameter path: its socket.
    static func silentAgent(_ path: String) -> PromptObstacle {
        PromptObstacle("the agent does not answer (\(path))", SilentAgent.advice)
    }

    /// - Parameter command: a file name that the kernel gives for a process.
    private static let schedulers: Set<String> = ["cron", "crond", "anacron", "atd", "fcron", "cronie"]
    /// How many ancestors are looked at.
    private static let generations = 32

    static func withoutTerminal(_ environment: [String: String]) -> PromptObstacle {
        let isRemote = ["SSH_CONNECTION", "SSH_CLIENT"].contains { !(environment[$0] ?? "").isEmpty }
        if isRemote { return noTerminalOverSSH }
        return isScheduled ? scheduled : noTerminal
    }

    /// Whether a program for scheduled jobs started this process.
    private static var isScheduled: Bool {
        var pid = OwnProcess.number
        for _ in 0..<generations {
            // `try?`: an ancestor can end at any time. Then nobody knows who started it.
            guard pid > 1, let process = try? ProcessStat(pid: pid) else { return false }
            if schedulers.contains(process.command.lowercased()) { return true }
            pid = process.parent
        }
        return false
    }
}
