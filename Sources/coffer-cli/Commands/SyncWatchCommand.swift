import ArgumentParser
import Coffer
import Platform

/// `coffer sync watch`
struct SyncWatchCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Carry changes in both directions by itself, until you press Ctrl-C.",
        usage: "coffer sync watch [--user <name>]",
        discussion: """
            Takes in and gives out whenever something was changed, here or in the folder, when the vault is unlocked, after a sleep, and \
            otherwise every few minutes. It asks nobody, and never unlocks the vault. What keeps it from its work is said once, on standard error.

            With systemd you need not run it: coffer sync init and coffer sync join start it as the user service coffer-sync. To see what it \
            says:
              journalctl --user --unit coffer-sync

            For the vault of a service, this is the system service coffer-courier@NAME, which runs under the account NAME.

            It ends with status 0 if this machine was removed, or shares its secrets with no other one.
            """)

    @OptionGroup var shared: ServiceVaultOptions

    func share() throws {
        do throws(SystemError) {
            var watch = try SharingWatch(CommandSession(shared.vault, quiet: true))
            try watch.run()
        } catch { throw KeychainError(.failed, error.description) }
    }
}
