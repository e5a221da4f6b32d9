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
