import ArgumentParser
import BrokerProtocol
import Coffer
import Platform

/// `git-credential-coffer`
public struct GitCredentialCommand: AsyncParsableCommand {
    static let name = "git-credential-coffer"

    public static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Keep the passwords and tokens of git in your vault.",
        usage: "git-credential-coffer [options] get|store|erase|capability",
        discussion: """
            git starts this program when it needs a password, when a login has worked, and when a server has refused one. To switch it on:

              git config --global credential.helper coffer

            Options are for new entries, and stand in the same setting:

              git config --global credential.helper 'coffer --require presence'

            An entry is an internet password with the service git:PROTOCOL://HOST and the user as its account. These commands find and show entries:

              coffer list
              coffer get git:https://example.com me --kind internet

            If an entry requires you, or the vault is locked, you are asked at the terminal, by the program that COFFER_ASKPASS names, or on \
            the display. If nobody can be asked, this program says so and gives nothing, and git asks for the password itself.

            Exit status: 0 done, also if there is no such entry; 1 failed; 64 wrong use.
            """,
        version: "git-credential-coffer \(ProductVersion.current)")

    @OptionGroup var entries: NewEntryOptions

    @Argument(
        help: ArgumentHelp(
            "get, store, erase or capability. Anything else is ignored, because later versions of git may have more.",
            valueName: "operation"))
    var operation: String

    public init() {}

    public func run() async throws {
        let helper = GitHelper(
            store: EntryStore(application: "git", vault: entries.vault, newAccess: try entries.newAccess))
        switch operation {
        case "get": try CredentialProgram.write(try await helper.get(try Self.request()))
        case "store": try await helper.store(try Self.request())
        case "erase": try await helper.erase(try Self.request())
        case "capability": try CredentialProgram.write(Array("version 0\ncapability authtype\n".utf8))
        default: try HelperInput.drain()
        }
    }

    private static func request() throws(KeychainError) -> GitRequest {
        var reader = GitRequestReader()
        try HelperInput.read { (part) throws(KeychainError) in try reader.take(part) }
        try reader.end()
        return reader.request
    }

    /// Runs the program. Errors are one line on standard error, because standard output belongs to git.
    public static func launch() async {
        do {
            try CredentialProgram.harden()
            var command = try parseAsRoot(nil)
            if var waiting = command as? any AsyncParsableCommand { try await waiting.run() } else { try command.run() }
        } catch let error as KeychainError {
            fail(error)
        } catch {
            guard exitCode(for: error) != .success else {
                CredentialProgram.show(fullMessage(for: error), orElse: fail)
            }
            CredentialProgram.note("\(name): \(CredentialProgram.usageLine(message(for: error))); see: \(name) --help")
            exit(withError: ExitCode(64))
        }
    }

    private static func fail(_ error: KeychainError) -> Never {
        CredentialProgram.note("\(name): \(CredentialProgram.line(error))")
        CredentialProgram.endIfInterrupted()
        exit(withError: ExitCode(1))
    }
}
