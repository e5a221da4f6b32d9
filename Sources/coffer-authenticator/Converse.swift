import ArgumentParser
import Authenticator

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
