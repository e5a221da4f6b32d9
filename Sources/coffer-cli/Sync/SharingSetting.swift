import Authorization
import BrokerProtocol
import Circle
import Coffer

/// Where a circle's folder lies. That is an item of the vault, so that no plain file names it. It stays on this machine.
struct SharingSetting {
    static let service = "org.coffer.sync"
    private static let prefix = "folder:"

    private let name: FullName
    private let session: CommandSession

    init(of circle: StatementName, _ session: CommandSession) {
        name = FullName(service: Self.service, account: Hex.encode(circle.bytes))
        self.session = session
    }

    /// - Parameter path: absolute.
    func store(_ path: String) throws(KeychainError) {
        let item = NewItem(
            value: Array((Self.prefix + path).utf8), access: .afterFirstUnlock.thisDeviceOnly,
            label: "Where this vault's circle lies")
        _ = try session.call(
            ItemCall.set(name.item, to: item, if: .none), for: name.shownName, command: session.unlockCommand)
    }

    /// The folder's path.
    /// - Parameter asks: whether a locked vault is opened for it.
    /// - Returns: nil if this machine does not know it.
    func path(asks: Bool, noPrompt: Bool = false) throws(KeychainError) -> String? {
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
        return try Self.path(in: item.value)
    }

    static func path(in value: [UInt8]) throws(KeychainError) -> String {
        guard let text = String(validating: value, as: UTF8.self), text.hasPrefix(prefix + "/") else {
            throw KeychainError(
                .damaged, "the item \(service) does not name a folder",
                advice: "name the folder again with: coffer sync now --folder FOLDER")
        }
        return String(text.dropFirst(prefix.count))
    }

    /// How many items of this kind the vault has. They are never shared, and nobody waits for that.
    static func count(_ session: CommandSession) throws(KeychainError) -> Int {
        try session.client.list(service: service).count { $0.access.isThisDeviceOnly }
    }
}
