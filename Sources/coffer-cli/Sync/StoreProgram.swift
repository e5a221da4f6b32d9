import Coffer
import Courier
import Glibc
import Platform

/// Makes the program that gives the credentials of a store out of its path.
enum StoreProgram {
    /// - Throws: if the vault's account is not there. What the vault names is never run as root in its place.
    static func program(_ path: String, _ session: CommandSession) throws(KeychainError) -> CredentialsProgram {
        CredentialsProgram(path, as: try account(session), environment: OwnProcess.environment)
    }

    /// The account whose vault root uses.
    /// - Returns: nil if the vault is this user's own.
    static func account(_ session: CommandSession) throws(KeychainError) -> Account? {
        guard case .account(let name) = session.vaultName else { return nil }
        let found: Account?
        do throws(SystemError) { found = try Account.named(name) } catch {
            throw KeychainError(
                .failed, "the account \(name) cannot be looked up: \(error.reason)", advice: "see: getent passwd")
        }
        guard let found else {
            throw KeychainError(
                .notFound, "there is no account \(name)", advice: "check the name after --user; see: getent passwd")
        }
        return found.uid == geteuid() ? nil : found
    }
}
