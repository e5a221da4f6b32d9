import BrokerProtocol
import Cryptography
import Vault

/// The application passwords of calls: decoded, stretched, and their failures counted.
struct ApplicationPasswords: Sendable {
    private let stretcher = PasswordStretcher()
    private let guesses: GuessBook

    init(clock: BrokerClock) { guesses = GuessBook(clock: clock) }

    /// - Parameter text: base64; nil where the call has none.
    static func decode(_ text: String?) throws(Fault) -> SecretBytes? {
        guard let text else { return nil }
        return try WireValue.decode(text)
    }

    /// For storing.
    func stretch(_ password: SecretBytes, for uid: UInt32) async throws(Fault) -> StretchedPassword {
        try await stretcher.run(for: uid) { () throws(VaultError) in try StretchedPassword(password) }
    }

    /// For reading: a try, which counts until `succeeded` says that it was right.
    /// - Throws: `ApplicationPasswordRefused` after too many wrong ones, for a while.
    func attempt(
        _ password: SecretBytes, salt: [UInt8], at item: ItemID, by uid: UInt32
    ) async throws(Fault) -> StretchedPassword {
        if let wait = guesses.begin(item, by: uid) {
            let seconds = Int((wait / .seconds(1)).rounded(.up))
            throw Fault(
                .applicationPasswordRefused,
                "There were too many wrong application passwords: try again in \(seconds) s.")
        }
        return try await stretcher.run(for: uid) { () throws(VaultError) in try StretchedPassword(password, salt: salt)
        }
    }

    func succeeded(at item: ItemID, by uid: UInt32) { guesses.succeeded(item, by: uid) }
}
