import ArgumentParser
import Coffer
import Platform

/// `coffer sync wait`
struct SyncWaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until all machines have taken in what was changed here.",
        usage: "coffer sync wait [--timeout <seconds>] [--quiet]",
        discussion: """
            Gives out what was changed here, and waits for the other machines to say that they have it. To replace a password everywhere: \
            store the new one, wait, and then end the old one.

            Example:
              coffer set db app --generate && coffer sync wait --timeout 600

            It ends with status 1 if the time is over, and names the machines that it waited for.
            """)

    @Option(help: ArgumentHelp("How long to wait at most; by default until you press Ctrl-C.", valueName: "seconds"))
    var timeout: Int?

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        guard timeout.map(WaitingLimits.seconds.contains) ?? true else {
            throw ValidationError(
                "--timeout takes \(WaitingLimits.seconds.lowerBound) to \(WaitingLimits.seconds.upperBound) seconds")
        }
    }

    func run() throws {
        let session = CommandSession(quiet: quiet)
        let end = timeout.map { ContinuousClock.now + .seconds($0) }
        let sharing = try Sharing.find(session, folder: nil, noPrompt: prompt.noPrompt)
        var told: [String] = []
        var isFirst = true
        while true {
            let outcome: [String]
            do { outcome = SharingText.warnings(try sharing.exchange()) } catch {
                try Sharing.checkJoined(session)
                throw error
            }
            if isFirst { outcome.forEach(Output.note) }
            isFirst = false
            let state = try Sharing.state(session, noPrompt: true)
            let behind = SharingText.behind(state.machines)
            guard !behind.isEmpty || state.pending > 0 else {
                return quiet ? () : Output.note("All machines have what was changed here.")
            }
            let names = behind.isEmpty ? "this machine's own folder" : behind.joined(separator: ", ")
            if let end, ContinuousClock.now >= end {
                throw CommandFailure(
                    code: "machines-behind", message: "not all machines have what was changed here: \(names)",
                    advice: "see when they were last heard: coffer sync status", status: .failure)
            }
            if !quiet, behind != told { Output.note("Waiting for: \(names)") }
            told = behind
            _ = try Readiness.wait(for: [], until: min(.now + WaitingLimits.pause, end ?? .now + WaitingLimits.pause))
        }
    }
}
