import ArgumentParser
import BrokerProtocol
import Coffer
import Cryptography
import Vault

/// `coffer recovery restore`
struct RecoveryRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring the secrets of an old vault's file into your present vault.",
        usage: "coffer recovery restore <file> [--replace] [--dry-run] [--json]",
        discussion: """
            Takes a copy of the old vault's file, user-<uid>.vault from a backup say, and the recovery code that was valid when the copy \
            was made. The file is only read, and opened by this program alone. Every secret that is not for its old device only is stored \
            in your present vault, with its access control, label, comment and attributes; a guarded one is guarded again. Secrets for \
            the old device only are lost, and listed as that. What your vault has already stays, unless you say --replace.

            Where it is your present vault that does not open (the TPM was cleared, say), root takes it out of the way first, while cofferd \
            is stopped: user-<uid>.vault in /var/lib/coffer becomes yours, user-<uid>.json in /var/lib/coffer-auth/vaults is moved away. \
            Restoring the one then makes a new vault and fills it.

            The code is asked for at the terminal, else read from standard input. A secret under an application password takes a new one, \
            which is asked for at the terminal.

            Examples:
              coffer recovery restore /media/backup/user-1000.vault --dry-run
              coffer recovery restore old.vault <code-file

            Ends with status 1 when a secret that could have been restored was not.
            """)

    @Argument(help: "The old vault's file.", completion: .file())
    var file: String?

    @Flag(help: "Replace secrets that are there already.")
    var replace = false

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @OptionGroup var format: JSONOptions

    @Argument(help: .hidden)
    var surplus: [String] = []

    func validate() throws {
        guard surplus.isEmpty else {
            throw ValidationError(
                "a recovery code is never an argument, because every program on this machine can read those; type it when asked, or pipe it in"
            )
        }
        guard file != nil else {
            throw ValidationError(
                "name the old vault's file: coffer recovery restore <file>")
        }
    }

    func run() throws {
        guard let file else { return }
        try OldVaultFile.check(file)
        let code = try RecoveryCodeInput().read()
        let session = Session()
        let old: RecoverableVault
        do throws(VaultError) {
            old = try RecoverableVault(
                copying: file, to: session.variable("TMPDIR") ?? "/tmp", code: code)
        } catch { throw KeychainError(recovering: error, file: file) }
        let restoration = Restoration(old: old, session: session, replace: replace, isTrial: dryRun)
        let (outcomes, ending) = restoration.run()
        if format.json {
            try Output.line(JSONText.of(outcomes))
        } else {
            for outcome in outcomes { try Output.line(outcome.line(isTrial: dryRun)) }
            Output.note(RestoredItem.summary(of: outcomes, isTrial: dryRun))
        }
        if let ending { throw ending }
        if outcomes.contains(where: \.isMissing) { throw ExitStatus.failure }
    }
}
