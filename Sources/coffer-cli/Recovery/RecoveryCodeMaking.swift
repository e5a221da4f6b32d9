import BrokerProtocol
import Coffer

/// Makes a recovery code. It is shown once, and is valid once one group of it has come back.
struct RecoveryCodeMaking {
    private let session: CommandSession

    /// How often a person may mistype the group.
    private static let tries = 3

    init(_ session: CommandSession) { self.session = session }

    /// Shows the code at the terminal, and asks for one group of it.
    func byPerson() throws {
        let new = try request()
        try Output.line(
            """

            Your recovery code, shown only this once:

                \(VisibleText.line(new.code))

            Write it down, and keep it away from this machine and its backups. It is valid once you have typed one group of it.

            """)
        for tried in 1...Self.tries {
            let message = Authentication.Message(style: .visible, text: "Group \(new.part) of the code: ")
            guard let answer = try TerminalPrompter(guardian: .thisProgram).ask(message, hangUp: -1) else {
                throw Self.unconfirmed
            }
            do throws(KeychainError) {
                try confirm(answer)
                return
            } catch {
                guard error.code == .invalidArgument else { throw error }
                guard tried < Self.tries else { throw Self.unconfirmed }
                Output.note("coffer: that is not group \(new.part); look again")
            }
        }
    }

    /// Writes the code and the number of the group, and reads the group from standard input.
    func byProgram() throws {
        let new = try request()
        try Output.line("\(new.code)\n\(new.part)")
        guard let answer = readLine() else { throw Self.unconfirmed }
        do throws(KeychainError) { try confirm(answer) } catch {
            guard error.code == .invalidArgument else { throw error }
            throw KeychainError(
                error.code, "\(error.message), so the new code is not valid", advice: "an earlier code stays valid")
        }
    }

    private func request() throws(KeychainError) -> Keychain.NewRecoveryCode.Reply {
        do throws(KeychainError) {
            return try session.call(
                Keychain.NewRecoveryCode(), for: "making a recovery code", command: "coffer recovery new")
        } catch {
            guard error.code == .notFound else { throw error }
            throw KeychainError(
                .notFound, "you have no vault yet, so there is nothing to recover",
                advice: "the first `coffer set` makes one")
        }
    }

    private func confirm(_ group: String) throws(KeychainError) {
        _ = try session.client.call(Keychain.ConfirmRecoveryCode(characters: group))
        Output.note("The new recovery code is valid; an earlier one no longer is")
    }

    private static let unconfirmed = KeychainError(
        .cancelled, "the new code was not confirmed, so it is not valid", advice: "an earlier code stays valid"
    )
}
