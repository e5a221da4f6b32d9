import ArgumentParser
import Authenticator

/// One conversation, on the connection that was passed.
struct Converse: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold one conversation, on a connection passed by systemd.")

    @OptionGroup var passed: PassedConnection

    func run() throws {
        let configuration = try passed.load()
        try ClientConversation(configuration: configuration).run(on: passed.take())
    }
}
