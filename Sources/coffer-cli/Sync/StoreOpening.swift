import Coffer
import Courier
import FoundationEssentials

/// Opens the place through which machines share, with what the vault knows of it.
struct StoreOpening {
    let session: CommandSession
    var noPrompt = false
    /// The path of the program that gives the credentials, if the person has named one.
    var program: String?

    /// A place that a person has just named. Its credentials are asked for if the vault does not know them, and kept once they
    /// have opened it.
    /// - Throws: if the place cannot be used.
    func named(_ place: SharedPlace) throws -> SharedFolder {
        switch place {
        case .folder(let path, let carriage):
            let shared = try folder(path, carriage, isNamed: true)
            try shared.checkUsable()
            return shared
        case .remote(let remote):
            try session.openVault(noPrompt: noPrompt)
            let item = try StoreKeys(for: remote, session)
            if let program { return try tried(.program(StoreProgram.program(program, session)), of: remote, item) }
            if let known = try item.known(asks: true, noPrompt: noPrompt) {
                let shared = Self.shared(remote, known)
                try Self.tell(shared.probe(), of: remote)
                return shared
            }
            return try tried(Self.access(StoreKeysInput(place: remote).read()), of: remote, item)
        }
    }

    /// The place, once this has opened it. Then it is kept.
    /// - Parameter former: the keys that opened the place before, if any did.
    func tried(
        _ access: StoreAccess, of place: RemotePlace, _ item: StoreKeys, former: StoreAccess? = nil
    ) throws -> SharedFolder {
        // Only the new ones: they are what is tried.
        let shared = Self.shared(place, access)
        Self.tell(try shared.probe(), of: place)
        try item.store(Self.with(former, behind: access))
        return shared
    }

    /// - Parameter keys: nil if the server wants none.
    static func access(_ keys: RemoteKeys?) -> StoreAccess { .keys(keys.map { [$0] } ?? []) }

    private static func with(_ former: StoreAccess?, behind access: StoreAccess) -> StoreAccess {
        guard case .keys(let keys) = access, case .keys(let before)? = former else { return access }
        return .keys(keys + before.prefix(1))
    }

    /// A place to read from, whose credentials are not kept.
    func source(_ place: SharedPlace) throws -> SharedFolder {
        switch place {
        case .folder(let path, let carriage): return try folder(path, carriage, isNamed: true)
        case .remote(let remote):
            if let program { return Self.shared(remote, .program(try StoreProgram.program(program, session))) }
            let known = try StoreKeys(for: remote, session).known(asks: true, noPrompt: noPrompt)
            return try Self.shared(remote, known ?? Self.access(StoreKeysInput(place: remote).read()))
        }
    }

    /// The place that the vault knows.
    /// - Parameter isService: whether nobody waits for it, so that a server that is busy is left alone.
    func known(_ content: SharingSetting.Content, asks: Bool, isService: Bool = false) throws -> SharedFolder {
        guard let remote = content.remote else {
            return try folder(content.folder, FolderCarriage(content.branch))
        }
        let keys = try StoreKeys(for: remote, session).known(asks: asks, noPrompt: noPrompt)
        guard let keys else { throw Self.keysUnknown(remote) }
        return Self.shared(remote, keys, isService: isService)
    }

    /// Opens a folder here.
    ///
    /// Root uses a service's vault, and the service's account can write any place into it. Root reads and writes only a
    /// folder of that account then. A git repository runs what its owner has set up, so root runs no git there.
    /// - Parameter isNamed: whether the person has just named it. Otherwise the vault has.
    func folder(_ path: String, _ carriage: FolderCarriage, isNamed: Bool = false) throws -> SharedFolder {
        if isNamed, carriage == .itself { return try SharedFolder(path, carriage) }
        guard let account = try StoreProgram.account(session) else { return try SharedFolder(path, carriage) }
        let shown = ShellText.quote(SharedFolder.absolute(path, in: FileManager.default.currentDirectoryPath))
        guard carriage == .itself else {
            throw CommandFailure(
                code: "git", message: "\(shown) is to be a git repository, and root runs no git for a service",
                advice: "share through a bucket, or through a folder of the account: coffer help sync store",
                status: .notPermitted)
        }
        let folder = try SharedFolder(path, carriage)
        guard folder.owner == account.uid else {
            throw CommandFailure(
                code: "folder-not-permitted",
                message:
                    "the vault names \(shown), which is not a folder of the account \(VisibleText.line(account.name))",
                advice: """
                    if you chose that folder, name it with --folder; if not, find out who changed the vault: \
                    coffer log --user \(VisibleText.line(account.name))
                    """, status: .notPermitted)
        }
        return folder
    }

    static func shared(_ place: RemotePlace, _ access: StoreAccess, isService: Bool = false) -> SharedFolder {
        let patience: RemotePatience =
            isService ? .none : .foreground { Output.note("coffer: \(VisibleText.sentence($0))") }
        return SharedFolder(place, RemoteStore(place, access, patience: patience))
    }

    /// What a person should know about a place that they begin to use.
    static func tell(_ properties: [RemoteProperty], of place: RemotePlace) {
        let name = VisibleText.line(place.name)
        for property in properties {
            switch property {
            case .versioned:
                Output.note(
                    "\(name) keeps former versions of each file, and they take room. Have your provider delete versions that are no longer "
                        + "the newest after some days: coffer help sync store")
            case .locked:
                Output.note(
                    "\(name) keeps what was written from being deleted. Coffer works with that, but the store only grows."
                )
            }
        }
    }

    private static func keysUnknown(_ place: RemotePlace) -> KeychainError {
        KeychainError(
            .notFound, "this machine does not know the credentials of \(VisibleText.line(place.name))",
            advice: "give them with: coffer sync store set")
    }
}
