import ArgumentParser
import Coffer

/// `coffer forget`
struct ForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", _superCommandName: "coffer",
        abstract: "End what coffer auth began, in all your terminals, and all your leases.",
        discussion: """
            You are then asked again for each item that requires presence. A command that coffer run --lease started goes on, but its reads ask you, too.
            """)

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func run() throws {
        let ended = try CommandSession().client.forget()
        guard !quiet else { return }
        switch (ended.terminals, ended.leases) {
        case (0, 0): Output.note("There was nothing to forget")
        case (_, 0): Output.note("Forgotten; you will be asked again")
        case (_, let leases):
            Output.note("Forgotten, with \(leases) lease\(leases == 1 ? "" : "s"); you will be asked again")
        }
    }
}
