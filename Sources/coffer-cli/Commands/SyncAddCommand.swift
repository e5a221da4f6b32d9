import ArgumentParser
import Circle
import Coffer
import Platform

/// What a machine that is added may do.
enum AddedRole: String, EnumerableFlag {
    case reader, writer, admin

    static func help(for value: AddedRole) -> ArgumentHelp? {
        switch value {
        case .reader: "The new machine gets all secrets, and changes none."
        case .writer: "The new machine changes secrets, and adds no machine."
        case .admin: "The new machine changes secrets, and adds and removes machines."
        }
    }
}

/// `coffer sync add`
struct SyncAddCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add the machine that shows a code.",
        usage:
            "coffer sync add [--reader | --writer | --admin] [--attested] [--folder <folder>] [--no-wait] [--user <name>]",
        discussion: """
            The new machine shows the code: coffer sync join. Type it here, or pipe it in. You are then shown the new machine's name, and asked \
            for your password. From then on, the new machine gets every secret that is shared.

            A reader gets all secrets and changes none. A writer changes them, too. An admin also adds and removes machines. If you choose none, \
            your own machine becomes an admin. Without a TPM it becomes a writer, and a service's machine becomes a reader.

            Both machines show five words. Compare them, and refuse on the new machine if they differ.

            --attested adds the machine only if it proves that its keys are in a TPM that root has listed in /etc/coffer/machines. On each such \
            machine, coffer sync identity prints its line.
            """)

    @Option(
        help: ArgumentHelp("The folder that your machines share, if it is another one now.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Flag(help: "Add only a machine that proves that its keys are in a TPM of root's list.")
    var attested = false

    @Flag
    var role: AddedRole?

    @Flag(help: "Do not wait if the new machine's request is not in the folder yet.")
    var noWait = false

    @OptionGroup var shared: ServiceVaultOptions
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

    func share() throws {
        let session = CommandSession(shared.vault)
        let sharing = try Sharing.find(session, folder: folder, noPrompt: prompt.noPrompt)
        let code = try JoinCodeInput().read()
        let place = try session.client.call(Sync.Add(code: code)).path
        guard case .request(let joining)? = StorePath(place) else {
            throw Sharing.misunderstood("a request has no place in the folder")
        }
        let request = try request(.request(joining), sharing.folder)
        let evidence = attested ? try demand(session, sharing.folder, joining, code).evidence(for: request) : nil
        let reply: Sync.Add.Reply
        do throws(KeychainError) {
            reply = try session.call(
                Sync.Add(
                    code: code, request: Base64.encode(request), evidence: evidence.map { Base64.encode($0) },
                    role: role?.rawValue),
                for: "adding a machine", noPrompt: prompt.noPrompt,
                command: "coffer sync add" + (attested ? " --attested" : "") + (role.map { " --\($0.rawValue)" } ?? ""),
                code: TypedCode(code, isAttested: attested))
        } catch {
            // A proof that was refused is asked for anew. A wrong password says nothing about it.
            if attested, [.requestOutdated, .invalidArgument].contains(error.code) {
                sharing.folder.remove(.proof(.evidence, joining))
            }
            throw Self.named(error)
        }
        guard let answer = reply.answer, answer.path == StorePath.answer(joining).text,
            let content = Base64.decode(answer.content)
        else { throw Sharing.misunderstood("it has added a machine without an answer") }
        try sharing.folder.write(content, to: .answer(joining))
        Output.note("Added \(reply.name.map(VisibleText.line) ?? "the machine").")
        Output.note("The new machine must show the same words: \(SharingText.words(reply.words))")
        Output.note("If it shows others, refuse there.")
        try sharing.firstExchange()
    }

    private func demand(
        _ session: CommandSession, _ folder: SharedFolder, _ place: JoinPlace, _ code: String
    ) -> ProofDemand {
        ProofDemand(
            session: session, folder: folder, place: place, code: code, limit: noWait ? .zero : FileWaitLimits.request)
    }

    private func request(_ path: StorePath, _ folder: SharedFolder) throws -> [UInt8] {
        let wait = FileWait(
            folder: folder, path: path,
            notice: noWait
                ? "The new machine's request is not in the folder yet."
                : "Waiting for the new machine's request, which takes some seconds. Press Ctrl-C to stop, and run the "
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
