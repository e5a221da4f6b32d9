import ArgumentParser

/// `coffer recovery`
struct RecoveryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery",
        abstract: "Survive the loss of this machine or its TPM.",
        usage: "coffer recovery new | restore",
        discussion: """
            The vault's keys never leave the TPM: a backup of the file alone brings nothing back. With a recovery code it brings back \
            every secret that is not for this device only. Make one, write it down, keep it elsewhere.
            """,
        subcommands: [RecoveryNewCommand.self, RecoveryRestoreCommand.self])
}
