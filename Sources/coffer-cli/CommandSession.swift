import BrokerProtocol
import Coffer
import Glibc
import Platform

/// One run of the program: its client, its environment, and its way to ask a person.
struct CommandSession {
    let client: KeychainClient
    /// The vault that the command uses; nil for the caller's own.
    private let vault: VaultOptions?
    private let environment: [String: String]
    /// Print only warnings and errors.
    private let isQuiet: Bool
    private let shown = ShownNotice()

    /// The vault of all calls.
    var vaultName: VaultName { vault?.choice ?? .own }

    /// The same words, with commands in them as they are run for this vault.
    func naming(_ text: String) -> String {
        vault?.naming(text) ?? text
    }

    /// The service that carries changes between this vault and a store.
    func unit(for content: SharingSetting.Content) -> SharingUnit { SharingUnit(for: content, of: vault?.user) }

    /// How often a person may type a wrong password at a terminal, as with sudo.
    private static let tries = 3

    init(_ vault: VaultOptions? = nil, quiet: Bool = false) {
        self.vault = vault
        isQuiet = quiet
        environment = OwnProcess.environment
        client = KeychainClient(
            paths: SocketPaths(environment: environment), caller: getuid(),
            vault: vault?.choice ?? .own, whenWaiting: BrokerWait.tell)
    }

    private init(_ session: CommandSession, _ vault: VaultOptions?, quiet: Bool) {
        self.vault = vault
        isQuiet = quiet
        environment = session.environment
        client = session.client.of(vault?.choice ?? .own)
    }

    /// The same session about another vault. Both share a connection.
    func of(_ vault: VaultOptions) -> CommandSession { CommandSession(self, vault, quiet: isQuiet) }

    /// The same session, which prints only warnings and errors.
    var quieted: CommandSession { CommandSession(self, vault, quiet: true) }

    /// All items of another vault.
    func list(in vault: VaultName) throws(KeychainError) -> [ItemAttributes] { try client.of(vault).list(service: nil) }

    /// All items in the bin of another vault.
    func deletedItems(in vault: VaultName) throws(KeychainError) -> [ItemAttributes] {
        try client.of(vault).deletedItems()
    }

    var programs: ProgramSearch { ProgramSearch(environment: environment) }

    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Whether somebody can be asked, which is looked for.
    func mayAsk(noPrompt: Bool) -> Bool { !noPrompt && findPrompter() != nil }

    /// Makes a call that may need a person.
    /// - Parameter purpose: the subject of the error message: "github/me". It is put together only then.
    /// - Parameter command: the command to run in a terminal if nobody can be asked here. It is put together only then.
    /// - Parameter asksOwner: whether somebody is asked even if root uses another account's vault.
    /// - Parameter code: what the person has typed to add a machine to a circle.
    func call<Method: Challengeable>(
        _ method: Method, for purpose: @autoclosure () -> String, noPrompt: Bool = false,
        command: @autoclosure () -> String,
        asksOwner: Bool = false,
        code: TypedCode? = nil
    ) throws(KeychainError) -> Method.Reply {
        try answer(to: method, for: purpose(), noPrompt: noPrompt, command: command(), asksOwner: asksOwner, code: code)
    }

    /// Makes a call that root has answered beforehand, by an invitation.
    func call<Method: Challengeable>(
        _ method: Method, code: TypedCode? = nil, by invitation: InvitationAnswer
    ) throws(KeychainError) -> Method.Reply {
        try client.call(method, code: code) { purposes throws(KeychainError) in try invitation.checked(purposes) }
    }

    /// Makes a call about items that may need a person.
    func call<Method: Challengeable, Answer>(
        _ request: ItemCall<Method, Answer>, for purpose: @autoclosure () -> String, noPrompt: Bool = false,
        command: @autoclosure () -> String
    ) throws(KeychainError) -> Answer {
        try request.answer(answer(to: request.method, for: purpose(), noPrompt: noPrompt, command: command()))
    }

    /// Makes a call about items that opens a locked vault on the way, if it wants that and somebody can be asked. Without a terminal,
    /// somebody is looked for only when the vault is locked.
    func call<Method: VaultOpening, Answer>(
        _ request: ItemCall<Method, Answer>, for purpose: @autoclosure () -> String, noPrompt: Bool,
        command: @autoclosure () -> String
    ) throws(KeychainError) -> Answer {
        var method = request.method
        let opens = method.unlock == true && !noPrompt
        method.unlock = opens && PrompterFinder(environment: environment).isSure ? true : nil
        var wasAsked = false
        do throws(KeychainError) {
            return try request.answer(
                answer(to: method, for: purpose(), noPrompt: noPrompt, command: command()) { wasAsked = true })
        } catch {
            // A person who has answered is not asked again for a vault that was locked meanwhile.
            guard error.code == .locked, opens, method.unlock == nil, !wasAsked, findPrompter() != nil else {
                throw error
            }
            method.unlock = true
            return try request.answer(answer(to: method, for: purpose(), noPrompt: noPrompt, command: command()))
        }
    }

    /// - Parameter onAsking: called before a person is asked.
    private func answer<Method: Challengeable>(
        to method: Method, for purpose: @autoclosure () -> String, noPrompt: Bool, command: @autoclosure () -> String,
        asksOwner: Bool = false,
        code: TypedCode? = nil, onAsking: () -> Void = {}
    ) throws(KeychainError) -> Method.Reply {
        var creates = false
        let reply = try retrying { () throws(KeychainError) in
            try client.call(method, code: code) { purposes throws(KeychainError) in
                creates = purposes.contains(.create)
                onAsking()
                return try prompter(
                    purposes, for: purpose(), noPrompt: noPrompt, command: command(), asksOwner: asksOwner,
                    // An agent hands no code on.
                    question: code == nil ? .conversation : .own)
            }
        }
        if creates, !isQuiet, vault?.words.isEmpty ?? true { Output.note(Self.recoveryHint) }
        return reply
    }

    /// Lets a person who mistypes try again. Each try is a new conversation, so PAM and the authenticator slow it down as usual.
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

    /// Shown after a vault is made.
    private static let recoveryHint =
        "You have no recovery code yet. Without one, your secrets are lost with this machine or its TPM; make one with: coffer recovery new"

    /// Renews all keys, with the application passwords of the items that have one.
    func rotateAll(
        _ passwords: [String: [UInt8]], prompts: Int, noPrompt: Bool, command: @autoclosure () -> String
    ) throws(KeychainError) -> RenewedKeys {
        try retrying { () throws(KeychainError) in
            try client.rotateAll(passwords, prompts: prompts) { purposes throws(KeychainError) in
                try prompter(purposes, for: "renewing all keys", noPrompt: noPrompt, command: command())
            }
        }
    }

    private func prompter(
        _ purposes: [Keychain.Purpose], for purpose: @autoclosure () -> String, noPrompt: Bool,
        command: @autoclosure () -> String,
        asksOwner: Bool = false,
        question: PrompterFinder.Question = .conversation
    ) throws(KeychainError) -> any Prompter {
        // Root is shown each change of a service vault's circle. Whether a renewal of keys is one, the authenticator knows.
        let asksRoot = vault?.user != nil && (purposes.contains(.rotate) || purposes.contains(where: \.changesCircle))
        if vault?.user != nil, !asksOwner, !asksRoot || noPrompt && purposes.contains(.rotate) { return NoPrompter() }
        let creates = purposes.contains(.create)
        let subject = creates ? "making \(vault?.shownVault ?? "your vault")" : purpose()
        let wayOut = creates ? unlockCommand : command()
        if noPrompt {
            throw KeychainError(
                .authenticationNeeded, "\(subject) needs authentication, but --no-prompt was given",
                advice: "run: \(wayOut)")
        }
        var prompter: any Prompter
        switch PrompterFinder(environment: environment, shown: shown).look(question) {
        case .prompter(let found): prompter = found
        case .nobody(let obstacle):
            if asksRoot {
                return NoPrompter(
                    reason: "\(subject) needs root to agree, but \(obstacle.reason)", advice: obstacle.advice(wayOut))
            }
            if asksOwner {
                // The authenticator decides whether anybody is asked at all.
                return NoPrompter(
                    reason: "\(subject) needs its owner to authenticate, but \(obstacle.reason)",
                    advice: obstacle.advice(wayOut))
            }
            throw KeychainError(
                .authenticationNeeded, "\(subject) needs authentication, but \(obstacle.reason)",
                advice: obstacle.advice(wayOut))
        }
        if creates {
            try prompter.tell(
                .init(
                    style: .info, text: "No vault yet: making \(vault?.shownVault ?? "one for \(Self.ownName())")"))
        }
        return prompter
    }

    /// Asks the person once, so that this terminal's programs can use the answer again.
    func authorize(seconds: Int) throws(KeychainError) {
        if let obstacle = terminalObstacle {
            throw KeychainError(
                .authenticationNeeded, "coffer auth asks only at a terminal, but \(obstacle.reason)",
                advice: obstacle.advice(ShellText.askingAgain))
        }
        try retrying { () throws(KeychainError) in
            var prompter: any Prompter = TerminalPrompter(guardian: .thisProgram, shown: shown)
            try client.authorize(seconds: seconds, by: &prompter)
        }
    }

    /// Makes a call about an item that may need an application password, and a person as well.
    /// - Parameter choosingPassword: ask for the application password at once, if there is a choice.
    func call<Method: PasswordTaking, Answer>(
        _ request: ItemCall<Method, Answer>, for purpose: @autoclosure () -> String, noPrompt: Bool,
        choosingPassword: Bool,
        command: @autoclosure () -> String
    ) throws(KeychainError) -> Answer {
        var request = request
        if choosingPassword { request.method.give(try passwordInput(for: purpose(), noPrompt: noPrompt).present()) }
        do throws(KeychainError) {
            return try call(request, for: purpose(), noPrompt: noPrompt, command: command())
        } catch {
            guard error.code == .applicationPasswordNeeded, request.method.applicationPassword == nil else {
                throw error
            }
            request.method.give(try passwordInput(for: purpose(), noPrompt: noPrompt).present())
            return try call(request, for: purpose(), noPrompt: noPrompt, command: command())
        }
    }

    /// Opens the vault if it is locked, and makes it if there is none.
    func openVault(noPrompt: Bool = false) throws(KeychainError) {
        guard try client.call(Keychain.Status()).vault.state != .unlocked else { return }
        _ = try call(Keychain.Unlock(), for: "unlocking", noPrompt: noPrompt, command: unlockCommand)
    }

    /// A way to ask the person; nil if there is none.
    func findPrompter() -> (any Prompter)? { PrompterFinder(environment: environment).find() }

    /// A way to ask the person for a text of the command's own, which no agent does; or why there is none.
    func ownPrompter() -> PrompterFinder.Finding { PrompterFinder(environment: environment).look(.own) }

    /// Why nobody can be asked at a terminal; nil if somebody can.
    var terminalObstacle: PromptObstacle? {
        // Without its variables, no program and no display counts.
        guard case .nobody(let obstacle) = PrompterFinder(environment: [:]).look(.own) else { return nil }
        return obstacle
    }

    func passwordInput(for name: String, noPrompt: Bool) -> ApplicationPasswordInput {
        ApplicationPasswordInput(name: name, noPrompt: noPrompt, look: ownPrompter)
    }

    /// The command that unlocks the vault.
    var unlockCommand: String { ShellText.command(["coffer", "unlock"] + (vault?.words ?? [])) }

    private static func ownName() -> String {
        let uid = getuid()
        // If the name cannot be looked up, the number serves.
        return (try? Account.withUID(uid))?.name ?? "uid \(uid)"
    }
}

extension PromptObstacle {
    /// The way out if a question is the command's own.
    var ownAdvice: String {
        TerminalPrompter.isInBackground
            ? advice(ShellText.askingAgain) : "run it in a terminal, or name a program that asks in COFFER_ASKPASS"
    }
}

extension Keychain.Purpose {
    /// Whether it changes who shares a vault's secrets.
    fileprivate var changesCircle: Bool {
        [.foundCircle, .addToCircle, .joinCircle, .removeFromCircle].contains(self)
    }
}

/// Administration speaks the wire's own types. Commands about items speak the library's.
typealias Keychain = BrokerProtocol.Keychain
typealias Sync = BrokerProtocol.Sync
