import ArgumentParser
import Circle
import Coffer
import Courier
import FoundationEssentials
import Platform

/// `coffer sync`
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Share your vault's secrets with your other machines.",
        usage: "coffer sync init | join | add | now | status | remove | leave",
        discussion: """
            Your machines share secrets through a folder that all of them can use: of Syncthing, on a network, or on a stick. What lies in it \
            is sealed and signed. Nobody who has the folder can read your secrets, change them, or add a machine.

            Secrets that require you at each read, and those for one device only, stay on their machine. Sharing needs no network of \
            Coffer's own.

            On the first machine:
              coffer sync init ~/Sync/coffer

            On each further one; it shows a code:
              coffer sync join ~/Sync/coffer

            Meanwhile on a machine that shares already; it asks for that code:
              coffer sync add

            From then on, on each of them, whenever changes should travel:
              coffer sync now

            Once a machine was lost or given away, on another one:
              coffer sync remove MACHINE
            """,
        subcommands: [
            SyncInitCommand.self, SyncJoinCommand.self, SyncAddCommand.self, SyncNowCommand.self,
            SyncStatusCommand.self, SyncRemoveCommand.self, SyncLeaveCommand.self,
        ])

    /// What a machine is called.
    static func name(_ text: String) throws -> MachineName {
        guard let name = MachineName(text) else {
            throw ValidationError(
                "a machine's name has 1 to \(CircleLimits.name) of A-Z a-z 0-9 . _ - and begins with a letter or digit")
        }
        return name
    }

    /// The host's name without its domain, made fit.
    static func hostName(_ host: String = ProcessInfo.processInfo.hostName) -> MachineName {
        MachineName(near: String(host.prefix { $0 != "." }))
    }

    static func checkFolder(_ folder: String?) throws {
        guard let folder else { return }
        guard !folder.isEmpty, !folder.utf8.contains(0) else { throw ValidationError("the folder must not be empty") }
    }
}

/// `coffer sync init`
struct SyncInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Begin to share your vault's secrets through a folder.",
        usage: "coffer sync init <folder> [--name <name>] [--separate]",
        discussion: """
            Run this on your first machine only. On the others, run coffer sync join. You are asked for your password.

            The folder must exist. Coffer writes its files there, and remembers the folder in your vault. From then on, your secrets are shared \
            with each machine that you add.

            Example:
              mkdir -p ~/Sync/coffer
              coffer sync init ~/Sync/coffer
            """)

    @Argument(help: ArgumentHelp("A folder that your machines share.", valueName: "folder"), completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("What this machine is called; by default the host's name.", valueName: "name"))
    var name: String?

    @Flag(help: "Begin anew even if other machines share secrets through this folder already.")
    var separate = false

    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        try SyncCommand.checkFolder(folder)
        if let name { _ = try SyncCommand.name(name) }
    }

    func run() throws {
        let name = try name.map(SyncCommand.name) ?? SyncCommand.hostName()
        let shared = try SharedFolder(folder)
        try shared.checkWritable()
        let session = CommandSession()
        try Sharing.checkAlone(session, noPrompt: prompt.noPrompt)
        if !separate, try !shared.circles().isEmpty {
            throw KeychainError(
                .alreadyExists, "other machines share secrets through \(ShellText.quote(shared.path)) already",
                advice:
                    "to join them: coffer sync join \(ShellText.quote(folder)); to begin anew beside them, use --separate"
            )
        }
        try session.openVault(noPrompt: prompt.noPrompt)
        let found = try session.call(
            Sync.Found(name: name.text), for: "sharing your secrets", noPrompt: prompt.noPrompt,
            command: ShellText.command(["coffer", "sync", "init", folder]))
        let sharing = try Sharing.begin(session, circle: found.circle, shared)
        try sharing.firstExchange()
        Output.note("This machine (\(name.text)) shares its secrets through \(ShellText.quote(shared.path)) now.")
        Output.note("On the other machine, run: coffer sync join FOLDER")
    }
}

/// `coffer sync join`
struct SyncJoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join the machines that share secrets through a folder.",
        usage: "coffer sync join <folder> [--name <name>] [--new] [--no-wait]",
        discussion: """
            Shows a code. Type it on a machine that shares already: coffer sync add. This machine waits for the answer, and then asks you to \
            compare five words with those that the other machine shows. If they differ, somebody else has answered: refuse.

            You can press Ctrl-C and run the command again later. The code stays the same until a machine is added with it. --new makes \
            another one.

            Example:
              coffer sync join ~/Sync/coffer
            """)

    @Argument(
        help: ArgumentHelp("The folder that the other machines use.", valueName: "folder"), completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("What this machine is called; by default the host's name.", valueName: "name"))
    var name: String?

    @Flag(help: "Forget a code that waits for an answer, and make another one.")
    var new = false

    @Flag(help: "Do not wait for the answer: show the code, and end.")
    var noWait = false

    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        try SyncCommand.checkFolder(folder)
        if let name { _ = try SyncCommand.name(name) }
    }

    func run() throws {
        let name = try name.map(SyncCommand.name) ?? SyncCommand.hostName()
        let shared = try SharedFolder(folder)
        try shared.checkWritable()
        let session = CommandSession()
        try Sharing.checkAlone(session, noPrompt: prompt.noPrompt)
        try session.openVault(noPrompt: prompt.noPrompt)
        let reply = try session.client.call(Sync.Request(name: name.text, renew: new ? true : nil))
        let joining = try JoiningFiles(reply)
        guard let answer = try answer(to: joining, code: reply.code, in: shared) else { return }
        let entered: Sync.Enter.Reply
        do throws(KeychainError) {
            entered = try session.call(
                Sync.Enter(answer: Base64.encode(answer)), for: "joining your other machines",
                noPrompt: prompt.noPrompt, command: again)
        } catch { throw Self.named(error, renewing: "\(again) --new") }
        shared.remove(joining.request)
        shared.remove(joining.answer)
        let sharing = try Sharing.begin(session, circle: entered.circle, shared)
        try sharing.firstExchange()
        // Their names have come with the exchange.
        let others = MachineChoice(machines: try Sharing.presentState(session).machines.filter { !$0.own }).shown
        Output.note("This machine (\(name.text)) shares secrets with \(others.joined(separator: ", ")) now.")
        Output.note("When changes should travel, run: coffer sync now")
    }

    private var again: String { ShellText.command(["coffer", "sync", "join", folder]) }

    /// - Returns: nil if nobody has answered, and the command does not wait.
    private func answer(to joining: JoiningFiles, code: String, in shared: SharedFolder) throws -> [UInt8]? {
        if let answer = try shared.read(joining.answer) { return answer }
        try shared.write(joining.content, to: joining.request)
        Output.note("On a machine that shares already, run: coffer sync add")
        Output.note("There, type this code:")
        try Output.line("\n    \(VisibleText.line(code))\n")
        if noWait {
            Output.note("Then run here again: \(again)")
            return nil
        }
        let wait = FileWait(
            folder: shared, path: joining.answer,
            notice: "Waiting for the answer; Syncthing takes some seconds. Press Ctrl-C to stop: run the command again "
                + "later, the code stays the same.", limit: nil)
        return try wait.file()
    }

    /// Somebody else can have put the answer there, and it would still be there at the next try.
    static func named(_ error: KeychainError, renewing command: String) -> KeychainError {
        guard [.invalidArgument, .damaged].contains(error.code) else { return error }
        return KeychainError(
            .damaged, "the answer in the folder is not for this machine's code: \(error.message)",
            advice: "begin again with another code: \(command)", cause: error.cause)
    }
}

/// `coffer sync add`
struct SyncAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add the machine that shows a code.",
        usage: "coffer sync add [--folder <folder>] [--no-wait]",
        discussion: """
            The new machine shows the code: coffer sync join. Type it here, or pipe it in. You are then shown the new machine's name, and asked \
            for your password. From then on, the new machine gets every secret that is shared.

            Both machines show five words. Compare them, and refuse on the new machine if they differ.
            """)

    @Option(
        help: ArgumentHelp("The folder that your machines share, if it is another one now.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Flag(help: "Do not wait if the new machine's request is not in the folder yet.")
    var noWait = false

    @OptionGroup var prompt: PromptOptions

    @Argument(help: .hidden)
    var surplus: [String] = []

    func validate() throws {
        guard surplus.isEmpty else {
            throw ValidationError(
                "never pass the code as an argument, because every program on this machine can read those; type it when asked, or pipe it in"
            )
        }
        try SyncCommand.checkFolder(folder)
    }

    func run() throws {
        let session = CommandSession()
        let sharing = try Sharing.find(session, folder: folder, noPrompt: prompt.noPrompt)
        let code = try JoinCodeInput().read()
        let place = try session.client.call(Sync.Add(code: code)).path
        guard case .request(let joining)? = StorePath(place) else {
            throw Sharing.misunderstood("a request has no place in the folder")
        }
        let request = try request(.request(joining), sharing.folder)
        let reply: Sync.Add.Reply
        do throws(KeychainError) {
            reply = try session.call(
                Sync.Add(code: code, request: Base64.encode(request)), for: "adding a machine",
                noPrompt: prompt.noPrompt, command: "coffer sync add", code: code)
        } catch { throw Self.named(error) }
        guard let answer = reply.answer, answer.path == StorePath.answer(joining).text,
            let content = Base64.decode(answer.content)
        else { throw Sharing.misunderstood("it has added a machine without an answer") }
        try sharing.folder.write(content, to: .answer(joining))
        Output.note("Added \(reply.name.map(VisibleText.line) ?? "the machine").")
        Output.note("The new machine must show the same words: \(SharingText.words(reply.words))")
        Output.note("If it shows others, refuse there.")
        try sharing.firstExchange()
    }

    private func request(_ path: StorePath, _ folder: SharedFolder) throws -> [UInt8] {
        let wait = FileWait(
            folder: folder, path: path,
            notice: noWait
                ? "The new machine's request is not in the folder yet."
                : "Waiting for the new machine's request; Syncthing takes some seconds. Press Ctrl-C to stop, and run the "
                    + "command again later.",
            limit: noWait ? .zero : FileWaitLimits.request)
        guard let request = try wait.file() else {
            throw KeychainError(
                .notFound, "the request of the new machine is not in \(ShellText.quote(folder.path))",
                advice: "check the code, and that both machines use this folder; then run: coffer sync add")
        }
        return request
    }

    private static func named(_ error: KeychainError) -> KeychainError {
        guard error.code == .damaged else { return error }
        return KeychainError(
            .damaged, "the request in the folder is not that of the code: \(error.message)",
            advice: "run on the new machine: coffer sync join FOLDER --new", cause: error.cause)
    }
}

/// `coffer sync now`
struct SyncNowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "now",
        abstract: "Take in what other machines have changed, and give out what was changed here.",
        usage: "coffer sync now [--folder <folder>] [--quiet] [--json]",
        discussion: """
            Works while the other machines are off: the folder has what they gave out. The vault must be unlocked, and is unlocked first if you \
            can be asked.

            --folder names another folder, which is used from now on. Use it after you have moved the folder.
            """)

    @Option(
        help: ArgumentHelp("The folder that your machines share, if it is another one now.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Flag(name: .shortAndLong, help: "Print only warnings and errors.")
    var quiet = false

    @OptionGroup var prompt: PromptOptions
    @OptionGroup var format: JSONOptions

    func validate() throws {
        try SyncCommand.checkFolder(folder)
        guard !quiet || !format.json else {
            throw ValidationError("--quiet prints nothing, so it does not go with --json")
        }
    }

    func run() throws {
        let session = CommandSession(quiet: quiet)
        let sharing = try Sharing.find(session, folder: folder, noPrompt: prompt.noPrompt)
        let outcome: ExchangeOutcome
        do { outcome = try sharing.exchange() } catch {
            // The broker refuses a machine that has just learnt of its removal, and that is what to tell.
            try Sharing.checkJoined(session)
            throw error
        }
        for line in SharingText.warnings(outcome) { Output.note(line) }
        try Sharing.checkJoined(session)
        guard !quiet else { return }
        let settings = try SharingSetting.count(session)
        try Output.line(
            format.json
                ? JSONText.of(ExchangeRecord(outcome, settings: settings))
                : SharingText.summary(outcome, settings: settings))
    }
}

/// `coffer sync status`
struct SyncStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the machines that share your secrets, and what waits.",
        usage: "coffer sync status [--json]",
        discussion: """
            Asks nothing. To see which secrets are not shared: coffer sync now

            If this machine was removed, it says so, and ends with status 6.
            """)

    @OptionGroup var format: JSONOptions

    func run() throws {
        let session = CommandSession()
        let state = try Sharing.presentState(session)
        var (path, words): (String?, String) = (nil, "")
        if state.circle != nil {
            do throws(KeychainError) {
                path = try SharingSetting(of: Sharing.name(of: state), session).content(asks: false)?.folder
                words =
                    path.map { VisibleText.line($0) }
                    ?? "not known here; name it with: coffer sync now --folder FOLDER"
            } catch {
                guard error.code == .locked else { throw error }
                words = "shown once the vault is open: coffer unlock"
            }
        }
        try Output.line(
            format.json
                ? JSONText.of(SharingRecord(state, folder: path))
                : SharingText.status(state, folder: words, width: Output.columns).joined(separator: "\n"))
        if state.circle != nil, !state.joined { throw ExitStatus.notPermitted }
    }
}
