import ArgumentParser
import Authenticator
import Platform
import RootConfiguration
import ServiceManager

/// The options of the subcommands that serve one connection and end.
struct PassedConnection: ParsableArguments {
    @OptionGroup var options: CommonOptions

    @Option(help: "The connection's descriptor, if systemd did not pass it.")
    var connection: Int32?

    /// Hardens the process before it reads anything.
    func load() throws -> Configuration {
        try ProcessHardening.apply()
        return try options.load()
    }

    /// Takes the connection over, and closes or clears everything else that was inherited.
    func take() throws -> Descriptor {
        let passed = try connection.map { [$0] } ?? ActivationSockets.take()
        guard passed.count == 1, let number = passed.first, number >= 3 else {
            throw ValidationError(
                "No connection was passed: systemd starts this program, or \"coffer-authenticator serve\".")
        }
        try ProcessSurroundings.clearEnvironment()
        let descriptor = try ProcessSurroundings.adopt(number)
        try ProcessSurroundings.closeDescriptors(from: number + 1)
        return descriptor
    }
}

/// Holds one conversation on the passed connection.
struct Converse: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold one conversation, on a connection passed by systemd.")

    @OptionGroup var passed: PassedConnection

    func run() throws {
        let configuration = try passed.load()
        try ClientConversation(configuration: configuration).run(on: passed.take())
    }
}

/// Takes one login's report on the passed connection.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Take one report of pam_coffer's, on a connection passed by systemd.")

    @OptionGroup var passed: PassedConnection

    func run() throws {
        let configuration = try passed.load()
        try LoginReport(configuration: configuration).run(on: passed.take())
    }
}

/// Shows one notification on a user's desktop, for a conversation of this program.
struct Notify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a conversation is about on its user's desktop.", shouldDisplay: false)

    func run() throws {
        try ProcessHardening.apply()
        try ProcessSurroundings.clearEnvironment()
        let line = try ProcessSurroundings.adopt(3)
        try ProcessSurroundings.closeDescriptors(from: 4)
        NotificationHelper.run(on: line)
    }
}
