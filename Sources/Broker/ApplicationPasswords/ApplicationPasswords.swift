import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// The application passwords of calls: decoded, stretched, and their failures counted.
struct ApplicationPasswords: Sendable {
    private let stretcher: PasswordStretcher
    private let guesses: GuessBook

    init(clock: BrokerClock, budgets: UserBudgets) {
        stretcher = PasswordStretcher(budgets: budgets)
        guesses = GuessBook(clock: clock)
    }

    /// For storing.
    func stretch(_ password: SecretBytes, for request: Request) async throws(Fault) -> StretchedPassword {
        try request.secrets.take(StretchedPassword.keyCount)
        return try await stretcher.run(for: request.caller.uid, unless: request.isAbandoned) { () throws(VaultError) in
            try StretchedPassword(password)
        }
    }

    /// For reading: a try, which counts until `succeeded` says that it was right.
    /// - Throws: `ApplicationPasswordRefused` after too many wrong ones, for a while.
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
