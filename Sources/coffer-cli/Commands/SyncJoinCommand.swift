import ArgumentParser
import Coffer
import Platform

/// `coffer sync join`
struct SyncJoinCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join the machines that share secrets through a folder.",
        usage:
            "coffer sync join <folder> [--git] [--endpoint <address>] [--region <region>] [--path-style] [--credentials-command <program>] [--name <name>] [--new] [--timeout <seconds>] [--no-wait] [--no-service] [--invitation <file>] [--user <name>]",
        discussion: """
            Shows a code. Type it on a machine that shares already: coffer sync add. This machine waits for the answer, and then asks you to \
            compare five words with those that the other machine shows. If they differ, somebody else has answered: refuse.

            You can press Ctrl-C and run the command again later. The code stays the same until a machine is added with it. --new makes \
            another one.

            --git is for a folder in a clone of the git repository that the other machines use, as for coffer sync init. A bucket or a WebDAV \
            address takes the place of the folder, as there.

            --user is for the vault of a service: root runs the command, and a system service of that account carries the changes.

            --invitation takes the file that coffer sync invite has made for this service. Nobody is asked then, here or there, and this machine \
            joins the machines of the invitation and no others.

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

    @Option(
        help: ArgumentHelp(
            "How long to wait for the answer; by default until you press Ctrl-C.", valueName: "seconds"))
    var timeout: Int?

    @Flag(help: "Do not wait for the answer: show the code, and end.")
    var noWait = false

    @Option(
        help: ArgumentHelp("The invitation of this service.", valueName: "file"),
        completion: .file())
    var invitation: String?

    @OptionGroup var store: StoreOptions
    @OptionGroup var service: SharingUnitOptions
    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        try SyncCommand.checkFolder(folder, isPlace: true)
        _ = try store.place(folder)
        if let name { _ = try SyncCommand.name(name) }
        if let invitation {
            try PathArgument.check(invitation)
            try SyncInviteCommand.checkService(shared)
        }
        guard let timeout else { return }
        guard !noWait else { throw ValidationError("--timeout is of no use with --no-wait") }
        try SyncWaitCommand.check(timeout: timeout)
    }

    func share() throws {
        let name = try name.map(SyncCommand.name) ?? SyncCommand.hostName()
        let session = CommandSession(shared.vault)
        let invited = try invitation.map { InvitedJoining(invitation: try InvitationInput(path: $0).read()) }
        let place = try Sharing.place(
            try store.place(folder), session, program: store.credentialsCommand, noPrompt: prompt.noPrompt)
        try session.openVault(noPrompt: prompt.noPrompt)
        if new, try Sharing.presentState(session).requested {
            // Somebody could still type its code, and would add a machine that never comes.
            let former = try JoiningFiles(session.client.call(Sync.Request(name: name.text)))
            for path in former.all { place.remove(path) }
        }
        let reply = try session.client.call(Sync.Request(name: name.text, renew: new ? true : nil))
        let joining = try JoiningFiles(reply)
        var challenge = ChallengeAnswer(session, place, joining.place)
        guard let answer = try answer(to: joining, code: reply.code, in: place, &challenge, invited) else { return }
        try invited?.check(answer, code: reply.code)
        let entered: Sync.Enter.Reply
        do throws(KeychainError) {
            let enter = Sync.Enter(answer: Base64.encode(answer))
            if let invited {
                entered = try session.call(enter, by: invited.answer)
            } else {
                entered = try session.call(
                    enter, for: "joining your other machines", noPrompt: prompt.noPrompt, command: again)
            }
        } catch { throw Self.named(error, renewing: "\(again) --new") }
        place.remove(joining.request)
        place.remove(joining.answer)
        challenge.tidy()
        do { try Sharing.begin(session, circle: entered.circle, place).firstExchange() } catch {
            service.startAnyway(session, for: place)
            throw error
        }
        // Their names have come with the exchange.
        let others = MachineChoice(machines: try Sharing.presentState(session).machines.filter { !$0.own }).shown
        Output.note("This machine (\(name.text)) shares secrets with \(others.joined(separator: ", ")) now.")
        try service.start(session, for: place)
    }

    private var again: String {
        ShellText.command(
            ["coffer", "sync", "join", folder] + store.words + (invitation.map { ["--invitation", $0] } ?? []))
    }

    /// - Returns: nil if nobody has answered, and the command does not wait.
    private func answer(
        to joining: JoiningFiles, code: String, in place: SharedFolder, _ challenge: inout ChallengeAnswer,
        _ invited: InvitedJoining?
    ) throws -> [UInt8]? {
        if let answer = try place.read(joining.answer) { return answer }
        try place.write(joining.content, to: joining.request)
        if let identity = joining.identity { try place.write(identity, to: .proof(.identity, joining.place)) }
        try invited?.knock(joining, code: code, in: place)
        try place.publish()
        if invited == nil {
            Output.note(shared.naming("On a machine that shares already, run: coffer sync add"))
            Output.note("There, type this code:")
            try Output.line("\n    \(VisibleText.line(code))\n")
        }
        if noWait {
            try challenge.give()
            Output.note(shared.naming("Then run here again: \(again)"))
            return nil
        }
        let wait = FileWait(
            folder: place, path: joining.answer,
            notice: "Waiting for the answer, which takes some seconds. Press Ctrl-C to stop: run the command again "
                + "later, the code stays the same.",
            later: invited.map { _ in (JoinWait.long, shared.naming(JoinWait.invited)) },
            limit: timeout.map { .seconds($0) })
        guard let answer = try wait.file({ try challenge.give() }) else {
            throw CommandFailure(
                code: "not-answered", message: "nobody has let this machine in",
                advice: invited == nil
                    ? "run coffer sync add on a machine that shares already, and here again: \(again)"
                    : "see on the admin host whether the invitation is still open: coffer sync invite --list",
                status: .failure)
        }
        return answer
    }

    /// Somebody else can have put the answer there, and it would still be there at the next try.
    static func named(_ error: KeychainError, renewing command: String) -> KeychainError {
        guard [.invalidArgument, .damaged].contains(error.code) else { return error }
        return KeychainError(
            .damaged, "the answer in the folder is not for this machine's code: \(error.message)",
            advice: "begin again with another code: \(command)", cause: error.cause)
    }
}

/// What is told while a machine waits to be let in.
private enum JoinWait {
    /// An admin host looks every ten seconds at most.
    static let long = Duration.seconds(60)
    /// Who is invited cannot be told that the invitation has ended: only root at the admin host knows of it.
    static let invited =
        "Nobody has let this machine in yet. See on the admin host whether its invitation is still open: coffer sync invite --list"
}
