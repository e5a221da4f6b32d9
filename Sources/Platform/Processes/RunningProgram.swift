/// What is known of the program that a process runs.
public enum RunningProgram: Sendable, Hashable {
    /// The path of its file, which everybody finds there.
    case file(String)
    /// A path at which others do not find its file, as in a container. A program of the same user can have chosen it.
    case elsewhere(String)
    /// The name that the process gave itself. Its file cannot be looked at.
    case unnamed(String)

    /// - Parameter command: the name that the process gave itself.
    public init(of process: Int32, command: String) {
        // `try?`: only root may look at another user's /proc/PID/exe, and a process can keep its own from everybody else.
        guard let file = try? ProgramFile(of: process) else {
            self = .unnamed(command)
            return
        }
        self = file.isFoundAtItsPath ? .file(file.path) : .elsewhere(file.path)
    }

    /// The path, if it is known to be right.
    public var resolved: String? {
        if case .file(let path) = self { path } else { nil }
    }
}
