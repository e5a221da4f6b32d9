import ArgumentParser
import Coffer
import CredentialHelpers

/// Names the service vault that a command of `coffer sync` is about.
struct ServiceVaultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Use the service vault of this account; root only.", valueName: "name"))
    var user: String?

    func validate() throws {
        guard let user else { return }
        guard !user.isEmpty else { throw ValidationError("the user must not be empty") }
        try NameArgument.check(user, "user", limit: ArgumentLimits.owner)
    }

    /// nil for the caller's own vault.
    var vault: VaultOptions? { user.map { VaultOptions(.account($0)) } }

    /// The same words, with the commands in them as they are run for this vault.
    func naming(_ text: String) -> String {
        vault?.naming(text) ?? text
    }
}

/// A command with ``VaultOptions``. The advice of its errors is for the same vault.
protocol VaultUsing {
    var vault: VaultOptions { get }
}

extension EditCommand: VaultUsing {}
extension ExistsCommand: VaultUsing {}
extension ExportCommand: VaultUsing {}
extension GetCommand: VaultUsing {}
extension HistoryCommand: VaultUsing {}
extension ImportCommand: VaultUsing {}
extension InjectCommand: VaultUsing {}
extension ListCommand: VaultUsing {}
extension LockCommand: VaultUsing {}
extension LogCommand: VaultUsing {}
extension OneTimePasswordCommand: VaultUsing {}
extension ReadCommand: VaultUsing {}
extension RemoveCommand: VaultUsing {}
extension RenameCommand: VaultUsing {}
extension RestoreCommand: VaultUsing {}
extension RotateCommand: VaultUsing {}
extension RunCommand: VaultUsing {}
extension SearchCommand: VaultUsing {}
extension SetCommand: VaultUsing {}
extension ShowCommand: VaultUsing {}
extension StatusCommand: VaultUsing {}
extension UnlockCommand: VaultUsing {}

extension VaultOptions {
    /// The same error, with the commands in its advice as they are run for this vault. Its message stays, because
    /// others may have chosen names in it.
    func named(_ error: any Error) -> any Error {
        if let error = error as? KeychainError {
            return KeychainError(
                error.code, error.message, advice: naming(ofError: error.advice), accounts: error.accounts,
                tpmCode: error.tpmCode, cause: error.cause)
        }
        guard let failure = error as? CommandFailure else { return error }
        return CommandFailure(
            code: failure.code, message: failure.message, advice: naming(ofError: failure.advice),
            status: failure.status, retryAfter: failure.retryAfter)
    }

    private func naming(ofError advice: String) -> String {
        words.isEmpty ? advice : VaultCommandText(words: ShellText.command(words), isOfError: true).naming(advice)
    }
}

/// A command of `coffer sync` that can be about a service vault. Its advice is, too.
protocol SharingCommand: ParsableCommand {
    var shared: ServiceVaultOptions { get }

    func share() throws
}

extension SharingCommand {
    func run() throws {
        do { try share() } catch let error as KeychainError {
            throw KeychainError(
                error.code, shared.naming(error.message), advice: shared.naming(error.advice),
                accounts: error.accounts, tpmCode: error.tpmCode, cause: error.cause)
        } catch let failure as CommandFailure {
            throw CommandFailure(
                code: failure.code, message: shared.naming(failure.message), advice: shared.naming(failure.advice),
                status: failure.status, retryAfter: failure.retryAfter)
        }
    }
}
