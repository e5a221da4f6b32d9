import BrokerProtocol
import Item

/// What is known of the program that a process runs.
enum ClientProgram: Sendable, Equatable {
    /// The path of its file, which everybody finds there.
    case file(String)
    /// A path at which others do not find its file, as in a container. A program of the same user can have chosen it.
    case elsewhere(String)
    /// The name that the process gave itself. Its file cannot be looked at.
    case unnamed(String)

    /// - Parameter command: the name that the process gave itself.
    init(of process: Int32, command: String) {
        // `try?`: only root may look at another user's /proc/PID/exe, so a sandbox's authenticator may fail here.
        guard let file = try? ProgramFile(of: process) else {
            self = .unnamed(command)
            return
        }
        self = file.isFoundAtItsPath ? .file(file.path) : .elsewhere(file.path)
    }

    /// The path, if it is known to be right.
    var resolved: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// As a prompt names it.
    var shown: String {
        switch self {
        case .file(let path): VisibleText.path(path)
        case .elsewhere(let path):
            "a program that calls itself \(VisibleText.path(path)), in a file system of its own"
        case .unnamed(let name):
            "a program that calls itself \(EscapedText.quoted(name, limit: PromptLimits.program))"
        }
    }

    /// As the authenticator's log names it. A `?` follows what the process may have chosen, as in `coffer log`.
    var logged: String {
        switch self {
        case .file(let path): EscapedText.escaped(path, limit: PromptLimits.program)
        case .elsewhere(let name), .unnamed(let name): EscapedText.escaped(name, limit: PromptLimits.program) + "?"
        }
    }
}
