import ArgumentParser
import BrokerProtocol
import Coffer
import Platform

/// `docker-credential-coffer`
public struct DockerCredentialCommand: AsyncParsableCommand {
    static let name = "docker-credential-coffer"

    public static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Keep the logins of docker and podman in your vault.",
        usage: "\(name) <store|get|erase|list|version>",
        discussion: """
            docker, podman, skopeo and buildah start this program when they log in, use a login, or log out. To switch it on for docker, put \
            this into ~/.docker/config.json:

              { "credsStore": "coffer" }

            and for podman into ~/.config/containers/registries.conf:

              credential-helpers = ["coffer"]

            An entry is an internet password with the service docker:https://HOST and the user as its account. These commands find and show entries:

              coffer list
              coffer get docker:https://registry.example.com me --kind internet

            docker passes no options. To set some, write a program docker-credential-NAME that runs

              exec docker-credential-coffer --require presence "$@"

            and put NAME in place of coffer. If an entry requires you, or the vault is locked, you are asked at the terminal, by the program \
            that COFFER_ASKPASS names, or on the display.

            As these programs expect it, errors go to standard output. Exit status: 0 done; 1 failed.
            """,
        version: "\(name) (coffer) v\(ProductVersion.current)")

    @OptionGroup var entries: NewEntryOptions

    @Argument(help: ArgumentHelp("store, get, erase, list or version.", valueName: "action"))
    var action: String

    public init() {}

    public func run() async throws {
        let helper = DockerHelper(
            store: EntryStore(application: "docker", vault: entries.vault, newAccess: try entries.newAccess))
        switch action {
        case "store": try await helper.add(try DockerCredentials(json: try Self.input()))
        case "get": try CredentialProgram.write(try DockerJSON.line(try await helper.get(try Self.server())))
        case "erase": try await helper.erase(try Self.server())
        case "list": try CredentialProgram.write(try DockerJSON.line(try await helper.list()))
        case "version": try CredentialProgram.write(Array("\(Self.configuration.version)\n".utf8))
        default:
            throw KeychainError(.invalidArgument, "\(Self.name): unknown action: \(action)")
        }
    }

    private static func input() throws(KeychainError) -> [UInt8] {
        var bytes: [UInt8] = []
        try HelperInput.read { (part) throws(KeychainError) in
            Wipe.append(part, to: &bytes)
            return true
        }
        return bytes
    }

    /// The server on standard input, without the blanks around it.
    private static func server() throws(KeychainError) -> String {
        let bytes = try input()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw KeychainError(.invalidArgument, "the server URL is not UTF-8")
        }
        let blank = { (character: Character) in character.isWhitespace }
        var url = text.drop(while: blank)
        while let last = url.last, blank(last) { url.removeLast() }
        guard !url.isEmpty else { throw KeychainError(.invalidArgument, DockerWords.noServer) }
        return String(url)
    }

    /// Runs the program. Errors are one line on standard output, where docker's client reads them.
    public static func launch() async {
        do {
            try CredentialProgram.harden()
            var command = try parse()
            if var waiting = command as? any AsyncParsableCommand { try await waiting.run() } else { try command.run() }
        } catch let error as KeychainError {
            say(CredentialProgram.line(error))
        } catch {
            guard exitCode(for: error) == .success else { say(CredentialProgram.usageLine(message(for: error))) }
            // Help begins with the line that is all of it in other helpers.
            let isHelp = words.contains("--help") || words.contains("-h")
            CredentialProgram.show((isHelp ? usage + "\n\n" : "") + fullMessage(for: error)) { error in
                CredentialProgram.note("\(name): \(CredentialProgram.line(error))")
                exit(withError: ExitCode(1))
            }
        }
    }

    /// - Throws: the usage for wrong use.
    private static func parse() throws -> any ParsableCommand {
        do { return try parseAsRoot(words) } catch {
            guard exitCode(for: error) == .success else { throw KeychainError(.invalidArgument, usage) }
            throw error
        }
    }

    private static var usage: String { "Usage: \(name) <store|get|erase|list|version>" }

    /// Other helpers also know -v.
    private static var words: [String] {
        let words = Array(CommandLine.arguments.dropFirst())
        return words == ["-v"] ? ["--version"] : words
    }

    private static func say(_ line: String) -> Never {
        // `try?`: there is no other place to report to.
        try? CredentialProgram.write(Array("\(line)\n".utf8))
        CredentialProgram.endIfInterrupted()
        exit(withError: ExitCode(1))
    }
}
