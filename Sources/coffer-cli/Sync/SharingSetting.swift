import Authorization
import BrokerProtocol
import Circle
import Coffer
import Courier

/// Where a circle's folder lies. That is an item of the vault, so that no plain file names it. It stays on this machine.
struct SharingSetting {
    static let service = "org.coffer.sync"
    private static let prefix = "folder:"
    private static let leavingPrefix = "leaving:"
    private static let branchPrefix = "git:"
    private static let remotePrefix = "store:"

    /// What the item says.
    struct Content: Equatable {
        /// Absolute; the address of a store on a server.
        var folder: String
        /// The branch of a remote git repository that carries it; nil if it is carried otherwise.
        var branch: GitBranch?
        /// The store on a server; nil if it is a folder here.
        var remote: RemotePlace?
        /// This machine's device, from when it began to leave. The broker forgets who it was in the circle, and the
        /// folder must get the removal all the same.
        var leaving: WriterID?

        init(
            folder: String, branch: GitBranch? = nil, remote: RemotePlace? = nil, leaving: WriterID? = nil
        ) {
            (self.folder, self.branch, self.remote, self.leaving) = (folder, branch, remote, leaving)
        }
    }

    private let name: FullName
    private let session: CommandSession

    init(of circle: StatementName, _ session: CommandSession) {
        name = FullName(service: Self.service, account: Hex.encode(circle.bytes))
        self.session = session
    }

    func store(_ content: Content) throws(KeychainError) {
        let item = NewItem(
            value: Array(Self.text(of: content).utf8), access: .afterFirstUnlock.thisDeviceOnly,
            label: "Where this vault's circle lies")
        _ = try session.call(
            ItemCall.set(name.item, to: item, if: .none), for: name.shownName, command: session.unlockCommand)
    }

    /// Deletes the item for good. One that is missing does no harm.
    func remove() throws(KeychainError) {
        do throws(KeychainError) { _ = try session.client.call(ItemCall.delete(name.item)) } catch {
            guard error.code == .notFound else { throw error }
        }
    }

    /// What this machine knows.
    /// - Parameter asks: whether a locked vault is opened for it.
    /// - Returns: nil if it does not know the folder.
    func content(asks: Bool, noPrompt: Bool = false) throws(KeychainError) -> Content? {
        let call = ItemCall.read(name.partial, ReadRequest(mayUnlock: asks))
        let item: Item
        do throws(KeychainError) {
            item =
                asks
                ? try session.call(
                    call, for: name.shownName, noPrompt: noPrompt, command: session.unlockCommand)
                : try session.client.call(call)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
        return try Self.content(in: item.value)
    }

    static func text(of content: Content) -> String {
        (content.leaving.map { "\(leavingPrefix)\(Hex.encode($0.bytes)) " } ?? "")
            + (content.branch.map { "\(branchPrefix)\($0.remote):\($0.ref) " } ?? "")
            + (content.remote.map { remotePrefix + $0.text } ?? prefix + content.folder)
    }

    static func content(in value: [UInt8]) throws(KeychainError) -> Content {
        let damage = KeychainError(
            .damaged, "the item \(service) does not name a folder",
            advice: "name the folder again with: coffer sync now --folder FOLDER")
        guard var text = String(validating: value, as: UTF8.self) else { throw damage }
        var leaving: WriterID?
        if text.hasPrefix(leavingPrefix) {
            let halves = text.dropFirst(leavingPrefix.count).split(separator: " ", maxSplits: 1)
            guard halves.count == 2, let device = WriterID(bytes: Hex.decode(String(halves[0])) ?? []) else {
                throw damage
            }
            (leaving, text) = (device, String(halves[1]))
        }
        if text.hasPrefix(remotePrefix) {
            guard let place = RemotePlace(text: String(text.dropFirst(remotePrefix.count))) else { throw damage }
            return Content(folder: place.name, remote: place, leaving: leaving)
        }
        var branch: GitBranch?
        if text.hasPrefix(branchPrefix) {
            let halves = text.dropFirst(branchPrefix.count).split(separator: " ", maxSplits: 1)
            let names = halves.first?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
            guard halves.count == 2, names.count == 2, let known = GitBranch(remote: names[0], ref: names[1]) else {
                throw damage
            }
            (branch, text) = (known, String(halves[1]))
        }
        guard text.hasPrefix(prefix + "/") else { throw damage }
        return Content(folder: String(text.dropFirst(prefix.count)), branch: branch, leaving: leaving)
    }

    /// How many items of this kind the vault has. They are never shared, and nobody waits for that.
    static func count(_ session: CommandSession) throws(KeychainError) -> Int {
        try session.client.list(service: service).count { $0.access.isThisDeviceOnly }
    }
}
