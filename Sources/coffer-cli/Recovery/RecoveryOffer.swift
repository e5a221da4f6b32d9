import BrokerProtocol
import Coffer
import Glibc

/// Offers a recovery code to the person who has just made their vault. A vault is made once, so the offer comes once, and no answer has to be noted.
struct RecoveryOffer {
    private let session: CommandSession

    /// - Returns: nil if there is a vault already, or if nobody is at a terminal. A script is never asked.
    static func beforeFirstVault(
        _ session: CommandSession, _ vault: VaultOptions, quiet: Bool
    ) throws(KeychainError) -> RecoveryOffer? {
        guard !quiet, vault.words.isEmpty, isPossible else { return nil }
        guard try session.client.call(Keychain.Status()).vault.state == .none else { return nil }
        return RecoveryOffer(session: session.quieted)
    }

    private static var isPossible: Bool {
        TerminalPrompter.isPresent
            && [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].allSatisfy { isatty($0) == 1 }
    }

    /// Asks the person, and makes the code if they want it. Their answer changes nothing that the command did before.
    func make() throws {
        // Another program may have made one meanwhile.
        guard try session.client.call(Keychain.Status()).recovery?.made == nil else { return }
        Output.note("\nYou have no recovery code. Without one, your secrets are lost with this machine or its TPM.")
        let isWanted: Bool
        // Ctrl-C at this question ends nothing else.
        do throws(KeychainError) { isWanted = try Confirmation.isGiven(Self.question, orSkipWith: "--quiet") } catch {
            isWanted = false
        }
        guard isWanted else {
            Output.note(Self.later)
            return
        }
        do { try RecoveryCodeMaking(session).byPerson() } catch let error as KeychainError {
            Output.note("coffer: \(error.message). \(Self.later)")
        }
    }

    private static let question = "Make one now, to write down on paper? [y/N] "
    private static let later = "You can make one later with: coffer recovery new"
}
