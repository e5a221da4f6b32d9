import ArgumentParser
import BrokerProtocol
import Coffer
import FoundationEssentials

/// `coffer`. Alone it says what to do next.
struct CofferCommand: ParsableCommand {
    /// What `coffer --version` prints.
    static var shownVersion: String { "coffer \(ProductVersion.current)" }

    static let configuration = CommandConfiguration(
        commandName: "coffer",
        abstract: "A keychain: this machine's TPM seals your secrets, and you open them.",
        usage: "coffer <command> …",
        discussion: """
            Examples:
              coffer set github me                     store a secret; it asks for it
              coffer set github me --require presence  store one that asks you at each read
              coffer set wifi home --generate          store a new random password
              coffer get github me                     read it
              coffer get hub me | docker login -u me --password-stdin
              coffer list                              names of what is stored

            Type or pipe secrets. Never pass them as arguments: other programs can read those.

            Environment:
              COFFER_ASKPASS      a program that asks if there is no terminal; it finds the
                                  question in COFFER_ASKPASS_PROMPT
              COFFER_SOCKET       the broker's socket (/run/coffer/coffer.sock)
              COFFER_AUTH_SOCKET  the authenticator's socket (auth.sock beside the other)

            Exit status:
              0 done, 3 not found, 5 locked, 6 not permitted,
              1 other failure, or the output could not all be written,
              4 authentication failed, cancelled or needed,
              7 store damaged or rolled back, 8 TPM unavailable, changed or in lockout,
              9 broker unreachable, 10 already exists, 64 wrong usage
            """,
        version: shownVersion,
        groupedSubcommands: [
            CommandGroup(
                name: "Secrets",
                subcommands: [
                    SetCommand.self, GetCommand.self, OneTimePasswordCommand.self, EditCommand.self, RenameCommand.self,
                    RemoveCommand.self, RestoreCommand.self, RotateCommand.self, ImportCommand.self, ExportCommand.self,
                ]),
            CommandGroup(
                name: "Use secrets elsewhere", subcommands: [RunCommand.self, ReadCommand.self, InjectCommand.self]),
            CommandGroup(
                name: "Inspect",
                subcommands: [
                    ListCommand.self, SearchCommand.self, ShowCommand.self, HistoryCommand.self, ExistsCommand.self,
                    StatusCommand.self, LogCommand.self, DoctorCommand.self, CompletionCommand.self,
                ]),
            CommandGroup(
                name: "Locking",
                subcommands: [
                    UnlockCommand.self, LockCommand.self, BootCommand.self, AuthCommand.self, ForgetCommand.self,
                    AgentCommand.self,
                ]),
            CommandGroup(name: "Your other machines", subcommands: [SyncCommand.self]),
            CommandGroup(name: "Recovery", subcommands: [RecoveryCommand.self]),
            CommandGroup(name: "Other accounts", subcommands: [VaultCommand.self]),
            CommandGroup(
                name: "Internal",
                subcommands: [
                    ClipboardClearCommand.self, EditCleanCommand.self, CompleteWordsCommand.self,
                    GuardProgramCommand.self, GuardTerminalCommand.self,
                ]),
        ])

    func run() throws {
        let status: Result<Keychain.Status.Reply, KeychainError>
        do throws(KeychainError) {
            status = .success(try CommandSession().client.call(Keychain.Status()))
        } catch {
            status = .failure(error)
        }
        // sd_booted(3) looks for this folder too.
        let runsUnits = FileManager.default.fileExists(atPath: "/run/systemd/system")
        try Output.line(NextStep.lines(status, runsUnits: runsUnits).joined(separator: "\n"))
        if case .failure(let error) = status { throw ExitStatus(error.code) }
    }
}

/// Lets ArgumentParser parse one command alone. For all commands it first makes a tree of them, and tries twice whether a completion script is wanted.
/// What is not understood here is parsed from the beginning with all of them.
enum SingleCommand {
    /// - Returns: nil if the parser for all commands has to read the arguments: for help, a mistake, or a command with commands of its own.
    static func parse(_ arguments: [String]) -> (any ParsableCommand)? {
        // Without a `_superCommandName`, this parser would look for the completion script, too.
        guard let word = arguments.first, let command = SubcommandSuggestion.command(word),
            command.configuration._superCommandName != nil,
            // `try?`: the other parser finds the same mistake, and says it with the right usage.
            let parsed = try? command.parseAsRoot(Array(arguments.dropFirst())), type(of: parsed) == command
        else { return nil }
        return parsed
    }
}
