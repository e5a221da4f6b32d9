import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// Decodes and stretches the application passwords of calls, and counts failed tries.
struct ApplicationPasswords: Sendable {
    private let stretcher: PasswordStretcher
    private let guesses: GuessBook

    init(clock: BrokerClock, budgets: UserBudgets) {
        stretcher = PasswordStretcher(budgets: budgets)
        guesses = GuessBook(clock: clock)
    }

    /// Stretches a password that is to be stored.
    func stretch(_ password: SecretBytes, for request: Request) async throws(Fault) -> StretchedPassword {
        try request.secrets.take(StretchedPassword.keyCount)
        return try await stretcher.run(for: request.caller.uid, unless: request.isAbandoned) { () throws(VaultError) in
            try StretchedPassword(password)
        }
    }

    /// Stretches a password to read an item. The call counts as a failed try until `succeeded` is called.
    /// - Throws: `ApplicationPasswordRefused` if there were too many wrong passwords; the user can try again after a
    ///   delay.
    func attempt(
        _ password: SecretBytes, salt: [UInt8], at item: ItemID, for request: Request
    ) async throws(Fault) -> StretchedPassword {
        try request.secrets.take(StretchedPassword.keyCount)
        if let wait = guesses.begin(item, by: request.caller.uid) {
            let seconds = Int((wait / .seconds(1)).rounded(.up))
            throw Fault(
                .applicationPasswordRefused,
                "There were too many wrong application passwords; try again in \(seconds) s.")
        }
        return try await stretcher.run(for: request.caller.uid, unless: request.isAbandoned) { () throws(VaultError) in
            try StretchedPassword(password, salt: salt)
        }
    }

    func succeeded(at item: ItemID, by uid: UInt32) { guesses.succeeded(item, by: uid) }
}
