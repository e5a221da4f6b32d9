import Authenticator
import BrokerProtocol
import Platform
import ProgramOptions
import RootConfiguration

/// Asks the person through PAM, and signs for what they agreed to.
@main enum CofferAuthenticator {
    private static let config = ProgramUsage.Option(
        "config", value: "config", help: "The configuration file.", usual: Configuration.defaultPath)
    private static let connection = ProgramUsage.Option(
        "connection", value: "connection", help: "The connection's descriptor, if systemd did not pass it.")

    private static let usage = ProgramUsage(
        "coffer-authenticator", version: "coffer-authenticator \(ProductVersion.current)",
        abstract: "Authenticates people for Coffer. Started by the service manager, one process a connection.",
        commands: [
            .init(
                "converse", abstract: "Hold one conversation, on a connection passed by systemd.",
                options: [config, connection]),
            .init(
                "report", abstract: "Take one report of pam_coffer's, on a connection passed by systemd.",
                options: [config, connection]),
            .init(
                "serve",
                abstract: "Listen on the socket that systemd passes, or on the configured ones if there is no systemd.",
                options: [config]),
            .init("notify", abstract: "Show what a conversation is about on its user's desktop.", isShown: false),
            .init(
                "converse-unlogged", abstract: "Hold one conversation, which is logged only if somebody answers.",
                options: [config, connection], isShown: false),
        ])

    static func main() {
        usage.start { options in
            let file = ConfigurationFile(path: options["config"] ?? Configuration.defaultPath)
            switch options.command {
            case "report": try PassedConnection(options, file).report()
            case "serve": try Serve(file: file).run()
            case "notify": try Notify.run()
            case let command:
                try PassedConnection(options, file).converse(isUnlogged: command == "converse-unlogged")
            }
        }
    }
}

/// Shows one notification on a user's desktop, for a conversation of this program.
enum Notify {
    static func run() throws {
        try ProcessHardening.apply()
        try OwnProcess.clearEnvironment()
        let line = try OwnProcess.adopt(3)
        try OwnProcess.closeDescriptors(from: 4)
        NotificationHelper.run(on: line)
    }
}
