import ArgumentParser
import BrokerProtocol
import Coffer

/// `coffer recovery new`
struct RecoveryNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a new recovery code, shown once.",
        usage: "coffer recovery new [--script]",
        discussion: """
            You are asked for your password, then shown the code, then asked for one group of it. Only after that is the code valid. Until then \
            an earlier code stays valid; afterwards it opens only older copies of the vault's file. Anyone who has the code and a copy of the \
            file can read every secret in it that is not for this device only. Keep the code away from this machine and from its backups.

            With --script, the first line of standard output is the code. The second line is the number of the group that is asked back, counted \
            from 1. Coffer then reads that group from standard input. The code is a secret: pipe it on, and never pass it as an argument.
            """)

    @Flag(help: "For programs: write the code to standard output, and read the group asked back from standard input.")
    var script = false

    /// How often a person may mistype the group.
    private static let tries = 3

    func run() throws {
        guard script || (Output.isTerminal && TerminalPrompter.isPresent) else {
            throw KeychainError(
                .invalidArgument, "a recovery code is shown only on a terminal, and standard output is not one",
                advice: "run it in a terminal; or use --script, and keep its output like a key")
        }
        let session = CommandSession()
        let new: Keychain.NewRecoveryCode.Reply
        do throws(KeychainError) {
            new = try session.call(
                Keychain.NewRecoveryCode(), for: "making a recovery code", command: "coffer recovery new")
        } catch {
            guard error.code == .notFound else { throw error }
            throw KeychainError(
                .notFound, "you have no vault yet, so there is nothing to recover",
                advice: "the first `coffer set` makes one")
        }
        try script ? confirmByProgram(new, session) : confirmByPerson(new, session)
        Output.note("The new recovery code is valid; an earlier one no longer is")
    }

    private func confirmByPerson(_ new: Keychain.NewRecoveryCode.Reply, _ session: CommandSession) throws {
        try Output.line(
            """

            Your recovery code, shown only this once:

                \(VisibleText.line(new.code))

            Write it down, and keep it away from this machine and its backups. It is valid once you have typed one group of it.

            """)
        for tried in 1...Self.tries {
            let message = Authentication.Message(style: .visible, text: "Group \(new.part) of the code: ")
            guard let answer = try TerminalPrompter().ask(message, hangUp: -1) else { throw Self.unconfirmed }
            do throws(KeychainError) {
                _ = try session.client.call(Keychain.ConfirmRecoveryCode(characters: answer))
                return
            } catch {
                guard error.code == .invalidArgument else { throw error }
                guard tried < Self.tries else { throw Self.unconfirmed }
                Output.note("coffer: that is not group \(new.part); look again")
            }
        }
    }

    private func confirmByProgram(_ new: Keychain.NewRecoveryCode.Reply, _ session: CommandSession) throws {
        try Output.line("\(new.code)\n\(new.part)")
        guard let answer = readLine() else { throw Self.unconfirmed }
        _ = try session.client.call(Keychain.ConfirmRecoveryCode(characters: answer))
    }

    private static let unconfirmed = KeychainError(
        .cancelled, "the new code was not confirmed, so it is not valid", advice: "an earlier code stays valid"
    )
}
