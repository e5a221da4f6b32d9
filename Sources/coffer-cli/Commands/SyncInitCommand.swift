import ArgumentParser
import Circle
import Coffer

/// `coffer sync init`
struct SyncInitCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Begin to share your vault's secrets through a folder.",
        usage:
            "coffer sync init <folder> [--git] [--endpoint <address>] [--region <region>] [--path-style] [--credentials-command <program>] [--name <name>] [--separate] [--no-service] [--user <name>]",
        discussion: """
            Run this on your first machine only. On the others, run coffer sync join. You are asked for your password.

            The folder must exist. Coffer writes its files there, and remembers the folder in your vault. From then on, your secrets are shared \
            with each machine that you add.

            --git is for a folder in a clone of a git repository. Coffer then commits its files to the upstream of the branch that is checked \
            out, and fetches from there. It changes no file of your work tree, and none of your branches.

            In place of a folder, you can name a bucket as s3://BUCKET or s3://BUCKET/PREFIX, or a folder of a WebDAV server by its address. You \
            are asked for the access key or the password, or pipe two lines in. Your vault keeps them, for this machine only. --endpoint is the \
            server of a provider other than Amazon, and --path-style is for servers that do not take the bucket's name as a host.

            --user is for the vault of a service, whose account has the same name on all machines. Root runs the command, and types yes in place \
            of a password. A system service of that account carries the changes.

            Examples:
              mkdir -p ~/Sync/coffer
              coffer sync init ~/Sync/coffer

              git clone git@example.org:me/secrets.git ~/secrets
              coffer sync init ~/secrets --git

              coffer sync init s3://example-coffer --region eu-central-1
              coffer sync init https://dav.example.org/me/Coffer

              coffer sync init s3://example-coffer --user web
            """)

    @Argument(
        help: ArgumentHelp("A folder that your machines share, a bucket, or a WebDAV address.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("What this machine is called; by default the host's name.", valueName: "name"))
    var name: String?

    @Flag(help: "Begin anew even if other machines share secrets through this folder already.")
    var separate = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var service: SharingUnitOptions
    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        try SyncCommand.checkFolder(folder, isPlace: true)
        _ = try store.place(folder)
        if let name { _ = try SyncCommand.name(name) }
    }

    func share() throws {
        let name = try name.map(SyncCommand.name) ?? SyncCommand.hostName()
        let session = CommandSession(shared.vault)
        let place = try Sharing.place(
            try store.place(folder), session, program: store.credentialsCommand, noPrompt: prompt.noPrompt)
        if !separate, try !place.circles().isEmpty {
            throw KeychainError(
                .alreadyExists, "other machines share secrets through \(ShellText.quote(place.path)) already",
                advice:
                    "to join them: \(ShellText.command(["coffer", "sync", "join", folder] + store.words)); to begin anew beside them, use --separate"
            )
        }
        try session.openVault(noPrompt: prompt.noPrompt)
        let found = try session.call(
            Sync.Found(name: name.text), for: "sharing your secrets", noPrompt: prompt.noPrompt,
            command: ShellText.command(["coffer", "sync", "init", folder] + store.words))
        do { try Sharing.begin(session, circle: found.circle, place).firstExchange() } catch {
            service.startAnyway(session, for: place)
            throw error
        }
        Output.note("This machine (\(name.text)) shares its secrets through \(ShellText.quote(place.path)) now.")
        try service.start(session, for: place)
        let words = place.remote == nil ? ["FOLDER"] : [folder]
        let join = ShellText.command(["coffer", "sync", "join"] + words + store.words)
        Output.note(shared.naming("On the other machine, run: \(join)"))
    }
}
