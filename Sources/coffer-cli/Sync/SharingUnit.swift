import Coffer
import FoundationEssentials
import Platform

/// The service that carries changes by itself, as systemd knows it: of the user, or for a service vault of the system.
struct SharingUnit {
    static let name = "coffer-sync"
    /// The one that may use the network, for a git repository.
    static let networkName = "coffer-sync-git"
    /// The one that may use the network, for a store on a server.
    static let remoteName = "coffer-sync-remote"
    private static let names = [name, networkName, remoteName]
    /// The one of the system, for the service vault of this account.
    static func courierName(of user: String) -> String { "coffer-courier@\(user)" }

    let name: String
    /// Whether it is the system's.
    private let isSystems: Bool
    private let environment: [String: String]

    /// - Parameter user: the account of a service vault; nil for the caller's own vault.
    init(for content: SharingSetting.Content, of user: String?) {
        if let user {
            self.init(Self.courierName(of: user), isSystems: true)
        } else {
            self.init(
                content.remote != nil ? Self.remoteName : content.branch != nil ? Self.networkName : Self.name,
                isSystems: false)
        }
    }

    private init(_ name: String, isSystems: Bool) {
        (self.name, self.isSystems, environment) = (name, isSystems, OwnProcess.environment)
    }

    /// What lets machines in that root has invited for the service vault of this account.
    static func admission(for user: String) -> SharingUnit { SharingUnit("coffer-admit@\(user)", isSystems: true) }

    /// In words.
    var shown: String { "\(isSystems ? "system" : "user") service \(name)" }

    /// Whether this command's broker is none that the service would find.
    static func isForAnother(_ session: CommandSession) throws(KeychainError) -> Bool {
        try session.client.call(Keychain.Status()).sandbox
    }

    /// Starts it now and at each login, or at each boot.
    /// - Returns: whether the service manager has done it.
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
    /// - Parameter user: the account of a service vault; nil for the caller's own vault.
    static func stop(for user: String?) {
        if let user {
            let names = [courierName(of: user), admission(for: user).name]
            _ = SharingUnit(names[0], isSystems: true).tell(["disable", "--now"], names)
        } else {
            _ = SharingUnit(name, isSystems: false).tell(["disable", "--now"], names)
        }
    }

    private func tell(_ words: [String], _ names: [String]) -> Bool {
        guard isSystems ? names.allSatisfy(Self.isUnitName) : hasManager,
            let systemctl = ProgramSearch(environment: environment).path(of: "systemctl")
        else { return false }
        do throws(SystemError) {
            let words =
                (isSystems ? [] : ["--user"]) + ["--quiet", "--no-ask-password"] + words
                + names.map { "\($0).service" }
            let program = try Subprocess(systemctl, words) { $0.directory = "/" }
            return try program.wait(until: .now + ServiceLimits.systemctl) == 0
        } catch { return false }
    }

    /// Whether the user has a service manager.
    private var hasManager: Bool {
        guard let folder = environment["XDG_RUNTIME_DIR"] else { return false }
        return folder.hasPrefix("/") && FileManager.default.fileExists(atPath: "\(folder)/systemd/private")
    }

    /// Whether systemd takes the name as it is. With other characters, it would be another account's instance.
    private static func isUnitName(_ name: String) -> Bool {
        name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":-_.@".contains($0)) }
    }
}
