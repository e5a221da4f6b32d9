import ArgumentParser
import Coffer

/// `coffer vault set-aside`
struct VaultSetAsideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-aside",
        abstract: "Move a vault that this machine no longer opens out of the way. Root only.",
        usage: "coffer vault set-aside (--user <name> | --group <name>) [--force]",
        discussion: """
            Use this if the TPM was cleared or replaced. The vault's file, its access log and its registry record are renamed and stay on the disk. \
            Nothing is removed. The command says where they are, and what to run next. The vault's owner gets a copy of the file that \
            they can read. With the recovery code, they restore its secrets into a new vault. A group's vault and a service vault have no recovery code.

            The same helps if the account or group got another name, or if its number now belongs to another one. Nobody gets a copy of the file then. \
            If no account or group has the name any longer, give the number: --user 1007.

            If this machine opens the vault, or if the TPM does not answer, nothing is moved unless you give --force.

            Example:
              coffer vault set-aside --user ada
            """)

    @OptionGroup var vault: VaultOptions

    @Flag(help: "Move the vault even if this machine opens it.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func validate() throws {
        guard vault.user != nil || vault.group != nil else {
            throw ValidationError("name the vault with --user <name> or --group <name>")
        }
    }

    func run() throws {
        let moved = try CommandSession(vault).client.setAsideVault(isForced: force)
        guard !quiet else { return }
        let name = VisibleText.line(vault.user ?? vault.group ?? "")
        Output.note("Set aside the vault of \(name). Nothing was removed:")
        for place in [moved.file, moved.record].compactMap(\.self) { Output.note("  \(VisibleText.line(place))") }
        Output.note(next(moved.copy, name))
    }

    /// The command that comes next.
    private func next(_ copy: String?, _ name: String) -> String {
        if let group = vault.group {
            return "A member makes a new vault with:\n  \(ShellText.command(["coffer", "unlock", "--group", group]))"
        }
        guard let copy else {
            return "\(name) got no copy, because the vault was a service's, or made for an account of another name. "
                + "If both names are one person's, give them a copy of the file. A new vault is made by its owner with: "
                + "coffer unlock. For a service vault: "
                + ShellText.command(["coffer", "vault", "create", "--owner", vault.user ?? ""])
        }
        return "To restore the secrets into a new vault, \(name) runs this, with the recovery code:\n  "
            + ShellText.command(["coffer", "recovery", "restore", copy])
    }
}
