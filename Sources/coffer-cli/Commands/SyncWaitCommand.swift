import ArgumentParser
import Coffer
import Platform

/// `coffer sync wait`
struct SyncWaitCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until all machines have taken in what was changed here.",
        usage: "coffer sync wait [<service> [<account>]] [--timeout <seconds>] [--quiet] [--user <name>]",
        discussion: """
            Gives out what was changed here, and waits for the other machines to say that they have it. To replace a password everywhere: \
            store the new one, wait, and then end the old one.

            With a name, it waits for this secret's changes alone, whoever made them. Other changes may still be on their way.

            Examples:
              coffer sync wait --timeout 600
              coffer set db app --generate && coffer sync wait db app

            It ends with status 1 if the time is over, and names the machines that it waited for.
            """)

    @Argument(help: ItemReference.serviceHelp)
    var service: String?

    @Argument(help: ItemReference.accountHelp)
    var account: String?

    @OptionGroup var kind: KindOptions

    @Option(help: ArgumentHelp("How long to wait at most; by default until you press Ctrl-C.", valueName: "seconds"))
    var timeout: Int?

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        if let service { try ItemReference.check(service, account) }
        if let timeout { try Self.check(timeout: timeout) }
    }

    static func check(timeout: Int) throws {
        guard !WaitingLimits.seconds.contains(timeout) else { return }
        throw ValidationError(
            "--timeout takes \(WaitingLimits.seconds.lowerBound) to \(WaitingLimits.seconds.upperBound) seconds")
    }

    func share() throws {
        let session = CommandSession(shared.vault, quiet: quiet)
        let end = timeout.map { ContinuousClock.now + .seconds($0) }
        let sharing = try Sharing.find(session, folder: nil, noPrompt: prompt.noPrompt)
        let item = try service.map { try attributes(session, $0) }
        let what = item.map { "\($0.shownName) as it is here" } ?? "what was changed here"
        var told: [String] = []
        var isFirst = true
        var toldAway: String?
        while true {
            let (outcome, away) = try exchanged(sharing)
            if isFirst { outcome.forEach(Output.note) }
            isFirst = false
            // A remote that is away can come back. Who waits is told once.
            if let away, away.message != toldAway {
                Output.note("coffer: warning: \(VisibleText.sentence("\(away.message); trying again"))")
            }
            toldAway = away?.message
            let state = try Sharing.state(session, of: item?.id, noPrompt: true)
            let behind = SharingText.behind(state.machines)
            guard !behind.isEmpty || state.pending > 0 else {
                return quiet ? () : Output.note("All machines have \(what).")
            }
            let names = behind.isEmpty ? "this machine's own folder" : behind.joined(separator: ", ")
            if let end, ContinuousClock.now >= end {
                throw CommandFailure(
                    code: "machines-behind", message: "not all machines have \(what): \(names)",
                    advice: "see when they were last heard: coffer sync status", status: .failure)
            }
            if !quiet, behind != told { Output.note("Waiting for: \(names)") }
            told = behind
            _ = try Readiness.wait(for: [], until: min(.now + WaitingLimits.pause, end ?? .now + WaitingLimits.pause))
        }
    }

    /// - Returns: what the person should look at, and why a remote could not be reached; nil if there is none, or if it was.
    private func exchanged(_ sharing: Sharing) throws -> (warnings: [String], away: CommandFailure?) {
        do { return (SharingText.warnings(try sharing.exchange()), nil) } catch {
            try Sharing.checkJoined(sharing.session)
            if let failure = error as? CommandFailure, SharedFolder.isAway(failure) { return ([], failure) }
            throw error
        }
    }

    private func attributes(_ session: CommandSession, _ service: String) throws(KeychainError) -> ItemAttributes {
        let name = try session.partialName(service, account, kind.kind)
        return try session.finding(name) { () throws(KeychainError) in
            try session.client.call(ItemCall.attributes(of: name))
        }
    }
}
