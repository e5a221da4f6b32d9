import Authorization
import Circle
import Coffer
import Courier
import FoundationEssentials
import Platform

/// How a folder gets to other machines.
enum FolderCarriage: Equatable {
    /// By itself, or by another program.
    case itself
    /// As a git repository: by the upstream of the branch that the work tree is on.
    case upstream
    /// By this branch of a remote git repository.
    case branch(GitBranch)

    /// - Parameter branch: what the vault knows.
    init(_ branch: GitBranch?) { self = branch.map { .branch($0) } ?? .itself }
}

/// The folder through which a vault shares its secrets, and the store in it.
struct SharedFolder {
    /// Absolute, because commands run in other folders later.
    let path: String
    let store: any SharedStore
    /// nil if it is no git repository to Coffer.
    let branch: GitBranch?
    /// The store on a server; nil if it is a folder here.
    let remote: (place: RemotePlace, store: RemoteStore)?
    /// Whose folder it is; nil if it is none here.
    let owner: UInt32?

    /// - Parameter path: an existing folder, as the person names it.
    init(_ path: String, _ carriage: FolderCarriage) throws {
        self.path = Self.absolute(path, in: FileManager.default.currentDirectoryPath)
        remote = nil
        do throws(StoreError) {
            // Also for git: a folder that is not there is named as such.
            let folder = try FolderStore(self.path)
            owner = folder.owner
            switch carriage {
            case .itself: (store, branch) = (folder, nil)
            case .upstream:
                let git = try Self.git(self.path, nil)
                (store, branch) = (git, git.branch)
            case .branch(let known): (store, branch) = (try Self.git(self.path, known), known)
            }
        } catch { throw Self.failure(error) }
    }

    /// A store on a server. People call it by its address.
    init(_ place: RemotePlace, _ remote: RemoteStore) {
        (path, store, branch, self.remote, owner) = (place.name, remote, nil, (place, remote), nil)
    }

    private static func git(_ path: String, _ branch: GitBranch?) throws(StoreError) -> GitStore {
        let environment = OwnProcess.environment
        return try GitStore(
            path, program: ProgramSearch(environment: environment).path(of: "git"), environment: environment,
            branch: branch)
    }

    /// What the vault has to remember of it.
    func setting(leaving: WriterID? = nil) -> SharingSetting.Content {
        .init(folder: path, branch: branch, remote: remote?.place, leaving: leaving)
    }

    static func absolute(_ path: String, in folder: String) -> String {
        var path = path
        while path.hasPrefix("./") { path = String(path.dropFirst(2)) }
        if path == "." { path = "" }
        var whole = path.hasPrefix("/") ? path : path.isEmpty ? folder : "\(folder)/\(path)"
        while whole.count > 1, whole.hasSuffix("/") { whole.removeLast() }
        return whole
    }

    /// - Throws: if this user may not write there, or if a remote cannot be reached. A circle is begun only after that.
    func checkUsable() throws {
        guard remote == nil else {
            _ = try probe()
            return
        }
        guard branch == nil else {
            if let failure = try refresh() { throw failure }
            return
        }
        guard FileManager.default.isWritableFile(atPath: path) else {
            throw CommandFailure(
                code: "folder-not-writable", message: "you may not write to \(ShellText.quote(path))",
                advice: "choose another folder, or ask its owner to let you write there", status: .notPermitted)
        }
    }

    /// Tries a store on a server.
    /// - Returns: what a person should know about it.
    func probe() throws -> [RemoteProperty] {
        do throws(StoreError) { return try remote?.store.probe() ?? [] } catch { throw Self.failure(error) }
    }

    func holds(_ circle: StatementName) throws -> Bool {
        do throws(StoreError) { return try store.holds(circle) } catch { throw Self.failure(error) }
    }

    /// Whether machines of the circle have given something out here.
    func hasHeads(of circle: StatementName) throws -> Bool {
        do throws(StoreError) { return try !store.heads(of: circle).isEmpty } catch { throw Self.failure(error) }
    }

    /// Whether each look at it is a connection.
    var isFar: Bool { branch != nil || remote != nil }

    /// Fetches what others have given out.
    /// - Returns: why a remote could not be reached; nil if there is none, or if it was.
    func refresh() throws -> CommandFailure? {
        do throws(StoreError) { return try store.refresh().map(Self.failure) } catch { throw Self.failure(error) }
    }

    /// Whether something of this machine waits to be pushed. Nobody is asked for it.
    var isUnpublished: Bool { store.isUnpublished }

    /// Hands on what was written, if others do not see it yet.
    func publish() throws {
        if let failure = unpublished() { throw failure }
    }

    /// Hands on what was written.
    /// - Returns: why others do not have it yet; nil if they do.
    func unpublished() -> CommandFailure? {
        do throws(StoreError) { try store.publish() } catch { return Self.failure(error) }
        return nil
    }

    func circles() throws -> [StatementName] {
        do throws(StoreError) { return try store.circles() } catch { throw Self.failure(error) }
    }

    func read(_ path: StorePath) throws -> [UInt8]? {
        do throws(StoreError) { return try store.read(path) } catch { throw Self.failure(error) }
    }

    func write(_ bytes: [UInt8], to path: StorePath) throws {
        do throws(StoreError) { try store.write(bytes, to: path) } catch { throw Self.failure(error) }
    }

    /// What invited machines have written.
    func knocks(of circle: StatementName) throws -> [StorePath] {
        do throws(StoreError) { return try store.knocks(of: circle) } catch { throw Self.failure(error) }
    }

    /// Tells the others that there is something new.
    func ring(_ circle: StatementName) throws {
        do throws(StoreError) { try store.ring(circle) } catch { throw Self.failure(error) }
    }

    /// Removes a file that has done its work. One that stays does no harm.
    func remove(_ path: StorePath) {
        do throws(StoreError) { try store.remove(path) } catch {
            Output.note("coffer: warning: \(VisibleText.sentence(error.description))")
        }
    }

    /// Whether a remote could not be reached, or has not taken something.
    static func isAway(_ failure: CommandFailure) -> Bool {
        ["not-fetched", "not-pushed", "store-unreachable", "store-busy"].contains(failure.code)
    }

    static func failure(_ error: StoreError) -> CommandFailure {
        let place = error.remote == nil ? "folder" : "store"
        let (code, status): (String, ExitStatus) =
            switch error.code {
            case .missing: ("\(place)-missing", .notFound)
            case .notAFolder: ("folder-is-none", .usage)
            case .notPermitted: ("\(place)-not-permitted", .notPermitted)
            case .readOnly: ("\(place)-read-only", .failure)
            case .full: ("\(place)-full", .failure)
            case .tooLarge, .strange, .tooMany: ("\(place)-strange", .failure)
            case .repository: ("git", .failure)
            case .notFetched: ("not-fetched", .failure)
            case .notPushed: ("not-pushed", .failure)
            case .libraryMissing: ("library-missing", .failure)
            case .unreachable: ("store-unreachable", .failure)
            case .certificate: ("store-certificate", .failure)
            case .busy: ("store-busy", .failure)
            case .refused: ("store-refused", .notPermitted)
            case .credentials: ("store-credentials", .failure)
            case .clock: ("store-clock", .failure)
            case .moved: ("store-moved", .failure)
            case .notUnderstood: ("store-strange", .failure)
            case .other: ("\(place)-unusable", .failure)
            }
        return CommandFailure(
            code: code, message: begun(error.message), advice: begun(error.advice), status: status,
            retryAfter: error.remote?.retryAfter)
    }

    /// Errors of this program begin with a small letter, behind its name. A path stays as it is.
    private static func begun(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }
}

extension CommandFailure {
    /// Whether a file of the store is not what Coffer writes. The others may be.
    var isAboutOneFile: Bool { ["folder-strange", "store-strange"].contains(code) }
}
