import Coffer
import FoundationEssentials
import Platform

/// The user service that carries changes by itself, as systemd knows it.
struct SharingUnit {
    static let name = "coffer-sync"
    /// The one that may use the network, for a git repository.
    static let networkName = "coffer-sync-git"
    /// The one that may use the network, for a store on a server.
    static let remoteName = "coffer-sync-remote"
    private static let names = [name, networkName, remoteName]

    let name: String
    private let environment: [String: String]

    init(of folder: SharedFolder) { self.init(for: folder.setting()) }

    init(for content: SharingSetting.Content) {
        self.init(content.remote != nil ? Self.remoteName : content.branch != nil ? Self.networkName : Self.name)
    }

    private init(_ name: String) {
        (self.name, environment) = (name, ProcessInfo.processInfo.environment)
    }

    /// Whether this command's broker is none that the service would find.
    static func isForAnother(_ session: CommandSession) throws(KeychainError) -> Bool {
        try session.client.call(Keychain.Status()).sandbox
    }

    /// Starts it now and at each login.
    /// - Returns: whether the user's service manager has done it.
    func start() -> Bool { tell(["enable", "--now"], [name]) }

    /// Starts it if the one before is enabled, and stops that one.
    func replace(_ former: SharingUnit) {
        let other = former.name
        guard tell(["is-enabled"], [other]) else { return }
        _ = tell(["disable", "--now"], [other])
        if !start() {
            Output.note("coffer: warning: the user service \(name) cannot be started; see: coffer help sync watch")
        }
    }

    /// Stops all. One that does not run, or is not known to systemd, needs no stopping.
    static func stop() { _ = SharingUnit(name).tell(["disable", "--now"], names) }

    private func tell(_ words: [String], _ names: [String]) -> Bool {
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
            FileManager.default.fileExists(atPath: "\(folder)/systemd/private"),
            let systemctl = ProgramSearch(environment: environment).path(of: "systemctl")
        else { return false }
        do throws(SystemError) {
            let words = ["--user", "--quiet", "--no-ask-password"] + words + names.map { "\($0).service" }
            let program = try Subprocess(systemctl, words) { $0.directory = "/" }
            return try program.wait(until: .now + ServiceLimits.systemctl) == 0
        } catch { return false }
    }
}
