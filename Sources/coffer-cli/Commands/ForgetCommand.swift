import ArgumentParser
import Coffer

/// `coffer forget`
struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", _superCommandName: "coffer",
        abstract: "End what coffer auth began, in all your terminals.",
        discussion: """
            You are then asked again for each item that requires presence.
            """)

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func run() throws {
        let ended = try CommandSession().client.forget()
        if !quiet { Output.note(ended == 0 ? "There was nothing to forget" : "Forgotten; you will be asked again") }
    }
}
