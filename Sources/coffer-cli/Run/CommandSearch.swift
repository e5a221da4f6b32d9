import Coffer
import Platform

/// Finds the file of a command as a shell does, before anybody is asked for the sake of a command that cannot run.
enum CommandSearch {
    /// - Parameter path: the value of PATH; nil if it is not set.
    static func find(_ command: String, path: String?) throws -> String {
        guard !command.isEmpty else { throw notFound(command) }
        if command.utf8.contains(UInt8(ascii: "/")) {
            guard let failure = ExecutableFile.failure(of: command) else { return command }
            throw failure == .missing ? notFound(command) : notRunnable(command)
        }
        var found: String?
        let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").utf8
            .split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for folder in folders.map({ String(decoding: $0, as: UTF8.self) }) {
            // An empty entry is the present folder.
            let file = folder.isEmpty ? "./\(command)" : "\(folder)/\(command)"
            switch ExecutableFile.failure(of: file) {
            case nil: return file
            case .notExecutable: found = found ?? file
            case .missing: continue
            }
        }
        throw found.map(notRunnable) ?? notFound(command)
    }

    private static func notFound(_ command: String) -> CommandFailure {
        CommandFailure(
            code: "command-not-found",
            message: "there is no command \(VisibleText.quoted(command)), so nothing was read",
            advice: "check its spelling, and PATH", status: .commandNotFound)
    }

    private static func notRunnable(_ file: String) -> CommandFailure {
        CommandFailure(
            code: "command-not-runnable", message: "\(VisibleText.quoted(file)) cannot be run, so nothing was read",
            advice: "check that it is a program, and that you may execute it", status: .commandNotRunnable)
    }
}
