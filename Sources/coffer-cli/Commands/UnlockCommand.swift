import ArgumentParser
import BrokerProtocol
import Coffer
import Glibc
import Varlink

/// `coffer unlock`
struct UnlockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", _superCommandName: "coffer",
        abstract: "Open the vault, or make it if there is none yet.",
        discussion: """
            You are asked for your password at the terminal; without one, by COFFER_ASKPASS or pinentry. When your vault is made at a terminal, you \
            are then offered a recovery code.

            --bind binds your vault to your login password. From then on the TPM itself asks for the password and counts wrong tries, and a \
            fingerprint no longer opens the vault. --unbind ends that, and destroys the secrets of class passcode-set. After you change the \
            password, the next unlock asks once for the former one.
            """)

    @OptionGroup var vault: VaultOptions

    @Flag(help: "Bind your vault to your login password.")
    var bind = false

    @Flag(help: "Unbind it again; this destroys what is stored with --access passcode-set.")
    var unbind = false

    @Flag(name: .shortAndLong, help: "With --unbind: do not ask.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func validate() throws {
        guard !(bind && unbind) else { throw ValidationError("--bind and --unbind do not go together") }
        guard !(bind || unbind) || vault.words.isEmpty else {
            throw ValidationError(
                "only your own vault can be bound to a password, so --group and --user do not go with it")
        }
        guard !force || unbind else { throw ValidationError("--force is for --unbind") }
    }

    func run() throws {
        var session = CommandSession(vault, quiet: quiet)
        let offer = try RecoveryOffer.beforeFirstVault(session, vault, quiet: quiet)
        if offer != nil { session = session.quieted }
        if unbind, try session.client.call(Keychain.Status()).vault.bound != true { return try unlockUnbound(session) }
        if unbind, !force { try confirm(session) }
        if bind, !quiet, offer == nil { try remindOfRecovery(session) }
        let command = session.unlockCommand + (bind ? " --bind" : unbind ? " --unbind" : "")
        let wanted: Bool? = bind ? true : unbind ? false : nil
        _ = try session.call(Keychain.Unlock(bind: wanted), for: purpose, command: command)
        guard !quiet else { return }
        Output.note(
            bind ? "Unlocked, and bound to your login password" : unbind ? "Unlocked, and no longer bound" : "Unlocked")
        try offer?.make()
    }

    /// Warns before binding, because forgetting the password then loses the vault's secrets.
    private func remindOfRecovery(_ session: CommandSession) throws {
        let status = try session.client.call(Keychain.Status())
        // A group's vault and a service vault have none, and cannot be bound.
        guard vault.words.isEmpty, status.vault.service != true, status.recovery?.made == nil else { return }
        Output.note(
            "You have no recovery code. If you forget your login password, the secrets of a bound vault are lost; make a code first with: coffer recovery new"
        )
    }

    /// The vault is not bound, so nothing is unbound and nothing is lost.
    private func unlockUnbound(_ session: CommandSession) throws {
        _ = try session.call(Keychain.Unlock(), for: "unlocking", command: session.unlockCommand)
        if !quiet { Output.note("Unlocked; it was not bound to a password") }
    }

    private var purpose: String { bind ? "binding" : unbind ? "unbinding" : "unlocking" }

    /// Names the secrets that will be lost before they are.
    private func confirm(_ session: CommandSession) throws {
        let lost = try session.client.list(service: nil).filter { $0.access.accessibility == .passcodeSet }
        guard !lost.isEmpty else { return }
        let names = lost.prefix(20).map { "\n  \($0.shownName)" }
            .joined()
        let rest = lost.count > 20 ? "\n  and \(lost.count - 20) more" : ""
        let what = lost.count == 1 ? "This secret" : "These \(lost.count) secrets"
        Output.note("\(what) of class passcode-set will be destroyed, and cannot be brought back:\(names)\(rest)")
        guard isatty(STDIN_FILENO) == 1 else {
            throw KeychainError(
                .failed, "unbinding would destroy secrets, and there is no terminal to confirm it at",
                advice: "read them first, and store them in another class; then run this in a terminal")
        }
        guard try Confirmation.isGiven("Unbind and destroy? [y/N] ", orSkipWith: "--force") else {
            Output.note("Nothing was changed")
            throw ExitStatus.failure
        }
    }
}
