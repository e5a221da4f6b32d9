import ArgumentParser
import BrokerProtocol
import Coffer
import HelperProtocol

/// `coffer sync restore`
struct SyncRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring back what your machines shared, by a code on paper.",
        usage:
            "coffer sync restore <folder> [--git] [--endpoint <address>] [--region <region>] [--path-style] [--credentials-command <program>] [--replace] [--dry-run] [--yes] [--json]",
        discussion: """
            For the loss of all machines. Takes the folder that they shared, or a copy of it, and the code of coffer sync paper. It only reads \
            the folder. It stores each secret in your present vault, with its access control, label, comment and attributes. A secret that \
            requires you requires you again, on this machine from now on. Secrets that your vault already has stay as they are, unless you \
            give --replace.

            Whoever keeps the folder can have left out what is newer. So you are first shown the machines, and the date of the newest that each \
            has given out.

            Type the code at the terminal, or pipe it in. If nobody can be asked whether to go on, give --yes.

            A bucket or a WebDAV address takes the place of the folder, as for coffer sync init. Its credentials are asked for first, and not \
            kept. If you pipe the code in, they are the two lines before it.

            Then share anew, in another folder: coffer sync init FOLDER

            Example:
              coffer sync restore ~/Sync/coffer --dry-run

            Ends with status 1 if a secret could have been restored but was not.
            """)

    @Argument(
        help: ArgumentHelp("The folder that your machines shared, or a copy of it.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @OptionGroup var store: StoreOptions

    @Flag(help: "Replace secrets that your vault already has.")
    var replace = false

    @Flag(help: "Show what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Do not ask whether to go on.")
    var yes = false

    @OptionGroup var prompt: PromptOptions
    @OptionGroup var format: JSONOptions

    @Argument(help: .hidden)
    var surplus: [String] = []

    func validate() throws {
        guard surplus.isEmpty else {
            throw ValidationError(
                "never pass the code as an argument, because every program on this machine can read those; type it when asked, or pipe it in"
            )
        }
        try SyncCommand.checkFolder(folder, isPlace: true)
        _ = try store.place(folder)
    }

    func run() throws {
        let session = CommandSession()
        let place = try store.place(folder)
        if case .remote = place { try Sharing.checkAlone(session, noPrompt: prompt.noPrompt) }
        let shared = try StoreOpening(
            session: session, noPrompt: prompt.noPrompt, program: store.credentialsCommand
        ).source(place)
        if let failure = try shared.refresh() {
            Output.note("coffer: warning: \(VisibleText.sentence(failure.message))")
        }
        try Sharing.checkAlone(session, noPrompt: prompt.noPrompt)
        var reading = try PaperReading(PaperCodeInput().read())
        try reading.open(shared)
        for line in Self.description(of: reading.opening) { Output.note(line) }
        try confirm()
        let lost = reading.opening.lost.map { RestoredItem($0, isTrial: dryRun) }
        let total = reading.items.count
        let restoration = Restoration(old: reading, session: session, replace: replace, isTrial: dryRun)
        let (outcomes, failure) = restoration.run()
        let all = outcomes + lost
        if format.json {
            try Output.line(JSONText.of(all))
        } else {
            for outcome in all { try Output.line(outcome.line) }
            Output.note(RestoredItem.summary(of: outcomes, total: total, isTrial: dryRun))
            if !lost.isEmpty { Output.note("Not on the paper: \(lost.count) fields") }
        }
        if let failure { throw failure }
        if all.contains(where: \.isMissing) { throw ExitStatus.failure }
    }

    private func confirm() throws {
        guard !dryRun, !yes else { return }
        guard Confirmation.isPossible else {
            throw KeychainError(
                .invalidArgument, "nobody can be asked whether this is the newest",
                advice: "look at the dates; then run it again with --yes")
        }
        guard try Confirmation.isGiven("Restore this? [y/N] ", orSkipWith: "--yes") else {
            throw KeychainError(.cancelled, "nothing was restored", advice: "")
        }
    }

    /// What a person should look at before the secrets are taken for the newest.
    static func description(of opening: PaperStore.Opening) -> [String] {
        var lines = ["These machines have shared \(SharingText.secrets(opening.items.count)):"]
        for machine in opening.machines {
            let name =
                machine.name.map(VisibleText.line) ?? "machine \(VisibleText.line(String(machine.device.prefix(8))))"
            let newest =
                machine.newest.map { "newest of \(TimeText(Int64(clamping: $0)).iso8601)" } ?? "nothing is there"
            lines.append("  \(name)  \(newest)\(machine.member ? "" : "  (no longer among them)")")
        }
        lines.append(
            "Each machine has set its date by its own clock. Whoever keeps the folder can have left out what is newer.")
        if opening.incomplete { lines.append("Parts of what the machines have given out are missing in the folder.") }
        if opening.contested > 0 {
            let one = opening.contested == 1
            lines.append(
                "\(one ? "1 thing was" : "\(opening.contested) things were") changed on several machines at the same "
                    + "time. The one that all machines showed is restored.")
        }
        return lines
    }
}

extension RestoredItem {
    /// A field that the code on paper does not open.
    init(_ lost: PaperStore.Lost, isTrial: Bool) {
        self.init(
            service: lost.service, account: lost.account, kind: lost.kind, outcome: .refused,
            reason: "its field \(VisibleText.quoted(lost.field)): \(lost.reason)", isTrial: isTrial)
    }
}
