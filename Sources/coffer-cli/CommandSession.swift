import BrokerProtocol
import Coffer
import FoundationEssentials
import Glibc
import Platform

/// One run of the program: the keychain, and the person who may be asked.
struct CommandSession {
    let client: KeychainClient
    /// Whose vault it is about.
    private let vault: VaultOptions?
    private let environment: [String: String]
    /// Nothing but warnings and errors is to be said.
    private let isQuiet: Bool

    /// Wrong passwords at a terminal before it is over, as with sudo.
    private static let tries = 3

    init(_ vault: VaultOptions? = nil, quiet: Bool = false) {
        self.vault = vault
        isQuiet = quiet
        environment = ProcessInfo.processInfo.environment
        client = KeychainClient(
            paths: SocketPaths(environment: environment), caller: getuid(),
            vault: vault?.choice ?? Keychain.VaultChoice())
    }

    var programs: ProgramSearch { ProgramSearch(environment: environment) }

    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Whether a locked vault may be opened on the way: wherever somebody can be asked.
    func mayUnlock(noPrompt: Bool) -> Bool {
        !noPrompt && PrompterFinder(environment: environment).find() != nil
    }

    /// Calls what may need a person.
    /// - Parameter purpose: what asks, as a subject: "github/me".
    /// - Parameter command: what to run in a terminal when nobody can be asked here.
    /// - Parameter asksOwner: also root is asked for something about another account's vault.
    func call<Method: Challengeable>(
        _ method: Method, for purpose: String, noPrompt: Bool = false, command: String, asksOwner: Bool = false
    ) throws(KeychainError) -> Method.Reply {
        var creates = false
        let reply = try retrying { () throws(KeychainError) in
            try client.call(method) { purposes throws(KeychainError) in
                creates = purposes.contains(.create)
                return try prompter(
                    purposes, for: purpose, noPrompt: noPrompt, command: command, asksOwner: asksOwner)
            }
        }
        if creates, !isQuiet, vault?.words.isEmpty ?? true { Output.note(Self.recoveryHint) }
        return reply
    }

    /// A person mistypes. Each try is a conversation of its own, and PAM and the authenticator slow them down as they always do.
    private func retrying<Reply>(_ body: () throws(KeychainError) -> Reply) throws(KeychainError)
        -> Reply
    {
        for _ in 1..<Self.tries {
            do throws(KeychainError) { return try body() } catch {
                guard error.code == .wrongPassword, TerminalPrompter.isPresent else { throw error }
                try TerminalPrompter().tell(.init(style: .error, text: "Wrong password, try again."))
            }
        }
        return try body()
    }

    /// Said when a vault is made.
    private static let recoveryHint =
        "You have no recovery code yet. Without one, your secrets are lost with this machine or its TPM; make one with: coffer recovery new"

    /// Renews all keys, with the application passwords of the items that have one.
    func rotateAll(
        _ passwords: [Keychain.ItemPassword], prompts: Int, noPrompt: Bool, command: String
    ) throws(KeychainError) -> Keychain.RotateAll.Reply {
        try retrying { () throws(KeychainError) in
            try client.rotateAll(passwords, prompts: prompts) { purposes throws(KeychainError) in
                try prompter(purposes, for: "renewing all keys", noPrompt: noPrompt, command: command)
            }
        }
    }

    private func prompter(
        _ purposes: [Keychain.Purpose], for purpose: String, noPrompt: Bool, command: String, asksOwner: Bool = false
    ) throws(KeychainError) -> any Prompter {
        if vault?.user != nil, !asksOwner { return NoPrompter() }
        let creates = purposes.contains(.create)
        let subject = creates ? "making \(vault?.shownVault ?? "your vault")" : purpose
        let wayOut = creates ? unlockCommand : command
        if noPrompt {
            throw KeychainError(
                .authenticationNeeded, "\(subject) needs authentication, but --no-prompt was given",
                advice: "run: \(wayOut)")
        }
        guard var prompter = PrompterFinder(environment: environment).find() else {
            if asksOwner {
                // Whether anybody is asked at all is for the authenticator to say.
                return NoPrompter(
                    reason: "\(subject) needs its owner to authenticate, but there is no terminal to ask at",
                    advice: "run in a terminal: \(wayOut)")
            }
            throw KeychainError(
                .authenticationNeeded, "\(subject) needs authentication, but there is no terminal to ask at",
                advice: "run in a terminal: \(wayOut)")
        }
        if creates {
            try prompter.tell(
                .init(
                    style: .info, text: "No vault yet: making \(vault?.shownVault ?? "one for \(Self.ownName())")"))
        }
        return prompter
    }

    /// Has the person asked once, for this terminal's programs to use the answer again.
    func authorize(seconds: Int) throws(KeychainError) {
        guard TerminalPrompter.isPresent else {
            throw KeychainError(
                .authenticationNeeded, "there is no terminal here, and coffer auth works only in one",
                advice: "run in a terminal: coffer auth --for 5m")
        }
        try retrying { () throws(KeychainError) in
            var prompter: any Prompter = TerminalPrompter()
            try client.authorize(seconds: seconds, by: &prompter)
        }
    }

    /// Calls what may need an application password, and a person besides.
    /// - Parameter choosingPassword: it is to be the application password, where there is a choice.
    func call<Method: PasswordTaking>(
        _ method: Method, for purpose: String, noPrompt: Bool, choosingPassword: Bool, command: String
    ) throws(KeychainError) -> Method.Reply {
        let input = passwordInput(for: purpose, noPrompt: noPrompt)
        var method = method
        if choosingPassword { method.applicationPassword = try input.present() }
        do throws(KeychainError) {
            return try call(method, for: purpose, noPrompt: noPrompt, command: command)
        } catch {
            guard error.code == .applicationPasswordNeeded, method.applicationPassword == nil else { throw error }
            method.applicationPassword = try input.present()
            return try call(method, for: purpose, noPrompt: noPrompt, command: command)
        }
    }

    func passwordInput(for name: String, noPrompt: Bool) -> ApplicationPasswordInput {
        ApplicationPasswordInput(name: name, noPrompt: noPrompt) { PrompterFinder(environment: environment).find() }
    }

    /// What opens the vault.
    var unlockCommand: String { ShellText.command(["coffer", "unlock"] + (vault?.words ?? [])) }

    private static func ownName() -> String {
        let uid = getuid()
        // Without a name the number says as much.
        return (try? Account.withUID(uid))?.name ?? "uid \(uid)"
    }
}
