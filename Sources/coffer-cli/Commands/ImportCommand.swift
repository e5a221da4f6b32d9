import ArgumentParser
import Coffer
import Import
import Platform

/// `coffer import`
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", _superCommandName: "coffer",
        abstract: "Import secrets from another program.",
        usage: "coffer import <format> [<file>] [options]",
        discussion: """
            Formats:
              firefox     passwords exported as CSV
              chromium    passwords of Chromium, Chrome, Brave or Edge, exported as CSV
              keepassxc   a database exported as CSV
              bitwarden   a vault exported as .json (not encrypted)
              lastpass    a vault exported as CSV
              1password   export.data of a .1pux archive, or CSV
              netrc       .netrc
              pass        a password store; <file> is its folder
              gnome-keyring   what the keyring of this session holds, over D-Bus; no <file>
              kwallet     the wallets of KDE, over D-Bus; no <file>
              coffer      what coffer export wrote

            <file> may be - for standard input. Then no file with your secrets is left behind:
              unzip -p export.1pux export.data | coffer import 1password -

            Each login becomes a secret named after the host and the user: github.com/me. A note, a one-time password's seed and further \
            fields become fields of it: notes, otp. Title, folder, tags, times and the address (without user, password and query) stay \
            beside the secret, readable while the vault is locked. An address with such parts also becomes a field as a whole: url. \
            What an earlier version stored as github.com/me:otp becomes the field, too.

            If one entry cannot be read, nothing is imported. The report names its line. Secrets that your vault has already are not stored \
            again. If your vault has another value, you are asked; with --skip or without a terminal, your value stays. With --require or \
            --access, secrets that are there already become stricter, but never easier to read.

            Examples:
              coffer import bitwarden export.json --dry-run
              coffer import firefox passwords.csv --require presence --remove

            Ends with status 1 if a secret could have been imported but was not.
            """)

    @Argument(help: ArgumentHelp("Where the secrets come from.", valueName: "format"))
    var format: ImportFormat

    @Argument(help: ArgumentHelp("The exported file, or - for standard input.", valueName: "file"), completion: .file())
    var file: String?

    @Flag(help: "Show what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Replace values that your vault has already, without asking.")
    var replace = false

    @Flag(help: "Keep values that your vault has already, without asking.")
    var skip = false

    @Flag(help: "Leave out entries that cannot be read, and import the others.")
    var skipUnreadable = false

    @Option(
        help: ArgumentHelp(
            "For coffer: the file with the identity that the export is encrypted for.", valueName: "file"),
        completion: .file())
    var identity: String?

    @Flag(help: "Remove the file after all of it was imported.")
    var remove = false

    @OptionGroup var access: AccessChangeOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var vault: VaultOptions
    @OptionGroup var output: JSONOptions

    func validate() throws {
        guard !replace || !skip else { throw ValidationError("--replace and --skip do not go together") }
        guard !remove || !dryRun else { throw ValidationError("--remove and --dry-run do not go together") }
        guard (file == nil) == format.isOnBus else {
            throw ValidationError(
                format.isOnBus
                    ? "a \(format == .kwallet ? "wallet" : "keyring") is read over D-Bus, and not from a file"
                    : "name the file to import")
        }
        guard !remove || file != "-" && format.canBePlainFile else {
            throw ValidationError("--remove is for a file that holds secrets in the clear")
        }
        guard !access.require.contains(.factor(.applicationPassword)) else {
            throw ValidationError(
                "an import cannot give secrets application passwords; give a secret one with: coffer edit")
        }
        guard identity == nil || format == .coffer else {
            throw ValidationError("--identity is for an export of Coffer")
        }
        for path in [file, identity].compactMap({ $0 }) { try PathArgument.check(path) }
    }

    func run() throws {
        let session = CommandSession(vault)
        let source = ImportFile(path: file ?? "-")
        // A file that is to be removed must still be the one that was read.
        let status = remove ? try source.status() : nil
        let material = try read(source, session)
        try checkProblems(material, source)
        let conflict = Conflict(replace ? .replace : skip || output.json ? .keep : .ask)
        var run = ImportRun(
            session, access: access, noPrompt: prompt.noPrompt, isTrial: dryRun, conflict: conflict)
        var failure: KeychainError?
        do throws(KeychainError) { try run.run(material.named.items) } catch { failure = error }
        let left = material.problems + material.leftOut
        var outcomes =
            run.outcomes + material.named.repeated.map { ImportOutcome($0, .repeated) }
            + left.map { ImportOutcome($0) }
        for place in outcomes.indices { outcomes[place].isTrial = dryRun }
        try report(outcomes)
        if material.furtherLeftOut > 0 {
            Output.note("left out \(material.furtherLeftOut) more, which are not named here")
        }
        if run.keptAccess > 0, !output.json {
            Output.note(
                "\(run.keptAccess) there already keep\(run.keptAccess == 1 ? "s its" : " their") access, because the options would make \(run.keptAccess == 1 ? "it" : "them") easier to read"
            )
        }
        if let failure {
            let isPart = !dryRun && run.outcomes.contains(where: \.isDone)
            throw isPart ? failure.afterPart("what was imported stays; for the rest, run the command again") : failure
        }
        let missing: [ImportOutcome.Outcome] = [.kept, .expired, .leftOut]
        let isComplete =
            left.isEmpty && material.furtherLeftOut == 0
            && !run.outcomes.contains { missing.contains($0.outcome) || $0.isPartial }
        if !dryRun { try settle(source, material, status, isComplete: isComplete, try remove && run.isVerified()) }
        if run.outcomes.contains(where: { [.kept, .leftOut].contains($0.outcome) }) || material.problemCount > 0 {
            throw ExitStatus.failure
        }
    }

    private func read(_ source: ImportFile, _ session: CommandSession) throws(KeychainError) -> ImportMaterial {
        if format == .coffer {
            return try ExportFile(
                source: source, session: session, identity: identity, noPrompt: prompt.noPrompt, removes: remove
            ).read()
        }
        let mostFields = try access.applied(to: .whenUnlocked).mostFields
        if format == .pass {
            return try PasswordStore(path: source.path, session: session, mostFields: mostFields).read()
        }
        if format == .gnomeKeyring { return try KeyringSource(session: session, mostFields: mostFields).read() }
        if format == .kwallet { return try KWalletSource(session: session, mostFields: mostFields).read() }
        return try source.read(format, mostFields: mostFields)
    }

    /// Nothing is imported of a file with a malformed line, because what follows may be misread as well.
    private func checkProblems(_ material: ImportMaterial, _ source: ImportFile) throws {
        guard material.problemCount > 0, !skipUnreadable else { return }
        let shown = format.isOnBus ? format.rawValue : source.shown
        if output.json {
            try report(material.problems.map { ImportOutcome($0) })
        } else {
            for problem in material.problems {
                Output.note("\(shown): \(VisibleText.sentence("\(problem.place): \(problem.reason)"))")
            }
        }
        let count = material.problemCount
        throw KeychainError(
            .failed, "nothing was imported, because \(count) entr\(count == 1 ? "y" : "ies") cannot be read",
            advice: (format.isOnBus ? "" : "mend the file, or ") + "leave them out with --skip-unreadable")
    }

    private func report(_ outcomes: [ImportOutcome]) throws {
        if output.json {
            try Output.line(JSONText.of(outcomes))
        } else {
            for outcome in outcomes { try Output.line(outcome.line) }
            Output.note(ImportOutcome.summary(of: outcomes, isTrial: dryRun, replaces: replace))
        }
    }

    /// Says that the file is still there, or removes it.
    /// - Parameter isComplete: whether the vault has all that the file has.
    private func settle(
        _ source: ImportFile, _ material: ImportMaterial, _ status: FileStatus?, isComplete: Bool, _ isVerified: Bool
    ) throws(KeychainError) {
        guard material.isPlainFile, !source.isStandardInput else { return }
        // A file of another kind may have secrets that were not recognised as such.
        guard !material.isEmpty else {
            return Output.note("no secret was found in \(source.shown), so it stays as it is")
        }
        let left = "\(source.shown) still holds secrets that anybody with the file can read"
        guard remove else {
            if format == .netrc { return }
            // The file may be the only copy of what is left.
            let next =
                isComplete
                ? "remove it with: \(source.removeCommand)"
                : "not all of it is in your vault, so keep the file until you have the rest"
            return Output.note(VisibleText.sentence("\(left); \(next)"))
        }
        guard isComplete, isVerified else {
            return Output.note(
                "\(left); it was not removed, because not all of it \(isVerified ? "was imported" : "was found in the vault")"
            )
        }
        try source.remove(status)
        Output.note(
            "Removed \(source.shown). Its bytes may stay on the disk until others overwrite them, and in backups")
    }
}
