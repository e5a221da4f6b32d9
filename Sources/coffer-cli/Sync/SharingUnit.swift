import Coffer
import FoundationEssentials
import Platform

/// The user service that carries changes by itself, as systemd knows it.
struct SharingUnit {
    static let name = "coffer-sync.service"

    private let environment: [String: String]

    init(environment: [String: String] = ProcessInfo.processInfo.environment) { self.environment = environment }

    /// Whether this command's broker is none that the service would find.
    static func isForAnother(_ session: CommandSession) throws(KeychainError) -> Bool {
        try session.client.call(Keychain.Status()).sandbox
    }

    /// Starts it now and at each login.
    /// - Returns: whether the user's service manager has done it.
    func start() -> Bool { tell(["enable", "--now"]) }

    /// Stops it. One that does not run, or is not known to systemd, needs no stopping.
    func stop() { _ = tell(["disable", "--now"]) }

    private func tell(_ words: [String]) -> Bool {
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
            FileManager.default.fileExists(atPath: "\(folder)/systemd/private"),
            let systemctl = ProgramSearch(environment: environment).path(of: "systemctl")
        else { return false }
        do throws(SystemError) {
            let words = ["--user", "--quiet", "--no-ask-password"] + words + [Self.name]
            let program = try Subprocess(systemctl, words) { $0.directory = "/" }
            return try program.wait(until: .now + ServiceLimits.systemctl) == 0
        } catch { return false }
    }
}
