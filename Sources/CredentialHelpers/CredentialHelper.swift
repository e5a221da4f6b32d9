import Dispatch
import Glibc

/// A program that git or docker starts. Both are `coffer` under another name, so that its libraries are installed once.
public enum CredentialHelper: String, CaseIterable, Sendable {
    case git = "git-credential-coffer"
    case docker = "docker-credential-coffer"

    /// - Parameter path: how the process was started: its first word. nil if that is no helper's name.
    public init?(startedAs path: String?) {
        guard let name = path?.split(separator: "/").last else { return nil }
        self.init(rawValue: String(name))
    }

    /// Runs the helper to the end of the process.
    public func run() -> Never {
        Task {
            switch self {
            case .git: await GitCredentialCommand.launch()
            case .docker: await DockerCredentialCommand.launch()
            }
            exit(EXIT_SUCCESS)
        }
        dispatchMain()
    }
}
