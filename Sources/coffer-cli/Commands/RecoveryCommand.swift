import ArgumentParser

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
