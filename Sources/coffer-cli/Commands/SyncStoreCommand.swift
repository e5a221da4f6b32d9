import ArgumentParser
import BrokerProtocol
import Coffer
import Courier

/// `coffer sync store`
struct SyncStoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Show or change where your machines share.",
        usage: "coffer sync store show | set",
        discussion: """
            The place is a folder, a bucket that speaks S3, or a folder of a WebDAV server such as Nextcloud. Each machine remembers it in its \
            vault, with the credentials of a server. These stay on the machine.

            A bucket may keep former versions of files. Nothing in Coffer needs them. Have your provider delete versions that are no longer \
            the newest after some days, and never the newest ones.

            After a machine was removed, change the credentials that it knew, and then here:
              coffer sync store set
            """,
        subcommands: [SyncStoreShowCommand.self, SyncStoreSetCommand.self])
}

/// `coffer sync store show`
struct SyncStoreShowCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show where your machines share.",
        usage: "coffer sync store show [--json] [--user <name>]",
        discussion: "Asks no server. A secret or a password is never shown.")

    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions
    @OptionGroup var format: JSONOptions

    func share() throws {
        let session = CommandSession(shared.vault)
        let circle = try Sharing.name(of: Sharing.state(session, noPrompt: prompt.noPrompt))
        let setting = SharingSetting(of: circle, session)
        guard let content = try setting.content(asks: true, noPrompt: prompt.noPrompt) else {
            throw Sharing.folderUnknown
        }
        let access = try content.remote.flatMap {
            try StoreKeys(for: $0, session).known(asks: true, noPrompt: prompt.noPrompt)
        }
        let record = StoreRecord(content, access)
        try Output.line(format.json ? JSONText.of(record) : record.lines.joined(separator: "\n"))
    }
}

/// `coffer sync store show --json`
private struct StoreRecord: Encodable {
    private let kind: String
    private let place: String
    private var git: String?
    private var endpoint: String?
    private var region: String?
    private var pathStyle: Bool?
    private var user: String?
    private var hasFormer: Bool?
    private var credentialsCommand: String?

    /// - Parameter access: nil if it is not known.
    init(_ content: SharingSetting.Content, _ access: StoreAccess?) {
        place = content.folder
        git = content.branch?.shown
        switch content.remote {
        case nil: kind = git == nil ? "folder" : "git"
        case .bucket(let bucket)?:
            (kind, endpoint, region) = ("s3", bucket.endpoint.text, bucket.region)
            pathStyle = bucket.isPathStyle
        case .folder?: kind = "webdav"
        }
        guard content.remote != nil else { return }
        switch access {
        case .keys(let keys)?: (user, hasFormer) = (keys.first?.name, keys.count > 1)
        case .program(let program)?: (credentialsCommand, hasFormer) = (program.path, false)
        case nil: hasFormer = false
        }
    }

    var lines: [String] {
        let kinds = ["s3": "Bucket", "webdav": "WebDAV folder", "git": "Folder", "folder": "Folder"]
        var lines = ["\(kinds[kind] ?? kind): \(VisibleText.line(place))"]
        if let git { lines.append("Git branch: \(VisibleText.line(git))") }
        if let endpoint { lines.append("Server: \(VisibleText.line(endpoint))") }
        if let region { lines.append("Region: \(VisibleText.line(region))") }
        if let credentialsCommand {
            return lines + ["Credentials: given by \(VisibleText.line(credentialsCommand))"]
        }
        guard let hasFormer else { return lines }
        lines.append("\(kind == "s3" ? "Access key" : "User"): \(user.map(VisibleText.line) ?? "none")")
        if hasFormer { lines.append("The credentials before these are kept, for when these are refused.") }
        return lines
    }
}

/// `coffer sync store set`
struct SyncStoreSetCommand: SharingCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the place, or the credentials of its server.",
        usage:
            "coffer sync store set [<place>] [--git] [--endpoint <address>] [--region <region>] [--path-style] [--credentials-command <program>] [--user <name>]",
        discussion: """
            Without a place, it asks for new credentials of the present one. With a place, your machines share there from now on: name it on \
            each of them. What this machine has given out is put there, too.

            The new place or credentials are tried first. If they do not work, everything stays as it was. The former credentials are kept, and \
            tried if the new ones are refused.

            Type the credentials when asked, or pipe two lines in: the access key's ID and its secret, or the user's name and password. A \
            server that wants none gets two empty lines.

            --credentials-command names a program by its whole path, for credentials that a cloud gives a machine, and that end after some \
            hours. It runs as the owner of the vault, without words, whenever they are needed. It prints two lines as above, or a JSON object \
            with AccessKeyId, SecretAccessKey, and if there are any SessionToken (or Token) and Expiration. Only root and the owner may be \
            able to change it.

            Examples:
              coffer sync store set
              coffer sync store set s3://example-coffer --region eu-central-1
              coffer sync store set https://dav.example.org/me/Coffer
              coffer sync store set --credentials-command /opt/role --user web
            """)

    @Argument(
        help: ArgumentHelp("A folder, a bucket as s3://BUCKET/PREFIX, or a WebDAV address.", valueName: "place"),
        completion: .directory)
    var place: String?

    @OptionGroup var store: StoreOptions
    @OptionGroup var shared: ServiceVaultOptions
    @OptionGroup var prompt: PromptOptions

    func validate() throws {
        try SyncCommand.checkFolder(place, isPlace: true)
        if let place { return _ = try store.place(place) }
        guard store.placeWords.isEmpty else {
            throw ValidationError("name the place, too: coffer sync store set s3://BUCKET …")
        }
        try store.checkProgram()
    }

    func share() throws {
        let session = CommandSession(shared.vault)
        let circle = try Sharing.name(of: Sharing.state(session, noPrompt: prompt.noPrompt))
        try session.openVault(noPrompt: prompt.noPrompt)
        let setting = SharingSetting(of: circle, session)
        let known = try setting.content(asks: true, noPrompt: prompt.noPrompt)
        let chosen = try place.map(store.place)
        guard let place = try chosen ?? known.map({ try Self.present($0) }) else { throw Sharing.folderUnknown }
        let opened = try opened(place, session)
        let sharing = Sharing(session: session, circle: circle, folder: opened)
        if known != opened.setting() { try setting.store(opened.setting()) }
        if let known { try Sharing.use(opened, insteadOf: known, session) }
        Output.note("Your vault shares its secrets through \(ShellText.quote(opened.path)) now.")
        try sharing.firstExchange()
    }

    private static func present(_ known: SharingSetting.Content) throws -> SharedPlace {
        guard let remote = known.remote else {
            throw ValidationError("the present place is a folder, which has no credentials; name another place")
        }
        return .remote(remote)
    }

    /// The place, once it was tried. New credentials of a server are kept with those before.
    private func opened(_ place: SharedPlace, _ session: CommandSession) throws -> SharedFolder {
        let opening = StoreOpening(
            session: session, noPrompt: prompt.noPrompt, program: store.credentialsCommand)
        guard case .remote(let remote) = place else {
            return try opening.named(place)
        }
        let item = try StoreKeys(for: remote, session)
        guard store.credentialsCommand == nil else { return try opening.named(place) }
        let former = try item.known(asks: true, noPrompt: prompt.noPrompt)
        let access = StoreOpening.access(try StoreKeysInput(place: remote).read())
        return try opening.tried(access, of: remote, item, former: former)
    }
}
