import ArgumentParser
import BrokerProtocol

/// Asks the person through PAM, and signs for what they agreed to.
@main struct CofferAuthenticator: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coffer-authenticator",
        abstract: "Authenticates people for Coffer. Started by the service manager, one process a connection.",
        version: "coffer-authenticator \(ProductVersion.current)",
        subcommands: [Converse.self, ReportCommand.self, Serve.self, Notify.self], defaultSubcommand: Converse.self)
}
