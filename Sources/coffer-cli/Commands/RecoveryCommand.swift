import ArgumentParser
import Coffer

/// `coffer recovery`
struct RecoveryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery",
        abstract: "Survive the loss of this machine or its TPM.",
        usage: "coffer recovery new | restore",
        discussion: """
            The vault's keys never leave the TPM, so a backup of the file alone restores nothing. With a recovery code, it restores every secret \
            that is not for this device only. Make a code, write it down, and keep it elsewhere.
            """,
        subcommands: [RecoveryNewCommand.self, RecoveryRestoreCommand.self])
}

/// `coffer recovery new`
struct RecoveryNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a new recovery code, shown once.",
        usage: "coffer recovery new [--script]",
        discussion: """
            You are asked for your password, then shown the code, then asked for one group of it. Only after that is the code valid. Until then \
            an earlier code stays valid; afterwards it opens only older copies of the vault's file. Anyone who has the code and a copy of the \
            file can read every secret in it that is not for this device only. Keep the code away from this machine and from its backups.

            With --script, the first line of standard output is the code. The second line is the number of the group that is asked back, counted \
            from 1. Coffer then reads that group from standard input. The code is a secret: pipe it on, and never pass it as an argument.
            """)

    @Flag(help: "For programs: write the code to standard output, and read the group asked back from standard input.")
    var script = false

    func run() throws {
        let session = CommandSession()
        if !script { try ShownOnce.checkTerminal(for: "a recovery code", session) }
        let making = RecoveryCodeMaking(session)
        try script ? making.byProgram() : making.byPerson()
    }
}

/// `coffer recovery restore`
struct RecoveryRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore the secrets of an old vault's file into your present vault.",
        usage: "coffer recovery restore <file> [--replace] [--dry-run] [--json]",
        discussion: """
            Takes a copy of the old vault's file, for example user-<uid>.vault from a backup. It also takes the recovery code that was \
            valid when the copy was made. This command alone opens the file, and only reads it. It stores each secret that is not for its old device only in \
            your present vault, with its access control, label, comment and attributes. A guarded secret is guarded again. Secrets for the old \
            device only are lost, and listed as lost. Secrets that your vault already has stay as they are, unless you give --replace.

            If your present vault does not open (for example because the TPM was cleared), root first runs: coffer vault set-aside --user <name>. \
            It gives you a copy of the vault's file, and says where it is. Restoring that file then makes a new vault and fills it.

            Type the code at the terminal, or pipe it in. A secret under an application password needs a new one, which you type at the \
            terminal.

            Examples:
              coffer recovery restore /media/backup/user-1000.vault --dry-run
              coffer recovery restore old.vault <code-file

            Ends with status 1 if a secret could have been restored but was not.
            """)

    @Argument(help: "The old vault's file.", completion: .file())
    var file: String?

    @Flag(help: "Replace secrets that your vault already has.")
    var replace = false

    @Flag(help: "Show what would be done, and do nothing.")
    var dryRun = false

    @OptionGroup var format: JSONOptions

    @Argument(help: .hidden)
    var surplus: [String] = []

    func validate() throws {
        guard surplus.isEmpty else {
            throw ValidationError(
                "never pass a recovery code as an argument, because every program on this machine can read those; type it when asked, or pipe it in"
            )
        }
        guard let file else {
            throw ValidationError(
                "name the old vault's file: coffer recovery restore <file>")
        }
        try PathArgument.check(file)
    }

    func run() throws {
        guard let file else { return }
        try OldVaultFile.check(file)
        let session = CommandSession()
        var old = try OldVaultReading(file, scratch: session.variable("TMPDIR") ?? "/tmp")
        try RecoveryCodeInput().open(&old)
        let total = old.items.count
        let restoration = Restoration(old: old, session: session, replace: replace, isTrial: dryRun)
        let (outcomes, failure) = restoration.run()
        if format.json {
            try Output.line(JSONText.of(outcomes))
        } else {
            for outcome in outcomes { try Output.line(outcome.line) }
            Output.note(RestoredItem.summary(of: outcomes, total: total, isTrial: dryRun))
        }
        if let failure { throw failure }
        if outcomes.contains(where: \.isMissing) { throw ExitStatus.failure }
    }
}
