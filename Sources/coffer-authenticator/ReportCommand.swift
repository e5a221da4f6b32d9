import ArgumentParser
import Authenticator

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
