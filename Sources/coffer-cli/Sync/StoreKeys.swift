import Authorization
import BrokerProtocol
import Coffer
import Courier
import Cryptography
import Platform

/// What opens a store on a server, or the program that gives it. That is an item of the vault, which stays on this machine. The
/// keys before them stay with keys, because new ones may be wrong, or may not be in force yet.
struct StoreKeys {
    /// The bytes of a name or a secret.
    static let longest = CredentialsLimits.longest

    private let name: FullName
    private let place: RemotePlace
    private let session: CommandSession

    init(for place: RemotePlace, _ session: CommandSession) throws(KeychainError) {
        let digest: [UInt8]
        // The place itself has characters that no name of an item has.
        do throws(CryptographyError) { digest = try SHA256.digest(Array(place.text.utf8)) } catch {
            throw Self.noMemory
        }
        name = FullName(service: SharingSetting.service, account: "keys-\(Hex.encode(Array(digest.prefix(16))))")
        (self.place, self.session) = (place, session)
    }

    /// - Parameter asks: whether a locked vault is opened for it.
    /// - Returns: nil if there is no such item.
    func known(asks: Bool, noPrompt: Bool = false) throws(KeychainError) -> StoreAccess? {
        let call = ItemCall.read(name.partial, ReadRequest(mayUnlock: asks))
        let item: Item
        do throws(KeychainError) {
            item =
                asks
                ? try session.call(call, for: name.shownName, noPrompt: noPrompt, command: session.unlockCommand)
                : try session.client.call(call)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
        return try Self.access(in: item.value) { (path) throws(KeychainError) in
            try StoreProgram.program(path, session)
        }
    }

    /// Makes this what opens the place.
    func store(_ access: StoreAccess) throws(KeychainError) {
        let item = NewItem(
            value: Self.text(of: access), access: .afterFirstUnlock.thisDeviceOnly,
            label: "What opens \(place.name)")
        _ = try session.call(
            ItemCall.set(name.item, to: item, if: .none), for: name.shownName, command: session.unlockCommand)
    }

    /// Deletes the item for good. One that is missing does no harm.
    func remove() throws(KeychainError) {
        do throws(KeychainError) { _ = try session.client.call(ItemCall.delete(name.item)) } catch {
            guard error.code == .notFound else { throw error }
        }
    }

    /// A line each: name, secret, and the same of the former ones. One line alone is the path of a program, and an empty one
    /// stands for no credentials.
    static func text(of access: StoreAccess) -> [UInt8] {
        var bytes: [UInt8] = []
        let keys: [RemoteKeys]
        switch access {
        case .program(let program): return Array("\(program.path)\n".utf8)
        case .keys(let known): keys = known
        }
        for key in keys {
            bytes += Array(key.name.utf8) + [UInt8(ascii: "\n")]
            key.secret.withBytes { secret in for index in secret.indices { bytes.append(secret[index]) } }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes.isEmpty ? [UInt8(ascii: "\n")] : bytes
    }

    /// - Parameter program: makes a program out of its path.
    static func access(
        in value: [UInt8], program: (String) throws(KeychainError) -> CredentialsProgram
    ) throws(KeychainError) -> StoreAccess {
        let damage = KeychainError(
            .damaged, "the item \(SharingSetting.service) with the credentials of the store is not whole",
            advice: "give them again with: coffer sync store set")
        guard value.last == UInt8(ascii: "\n") else { throw damage }
        let lines = value.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard value.count > 1 else { return .keys([]) }
        if lines.count == 1 {
            guard let path = String(validating: lines[0], as: UTF8.self), CredentialsProgram.isPath(path) else {
                throw damage
            }
            return .program(try program(path))
        }
        guard [2, 4].contains(lines.count) else { throw damage }
        var keys: [RemoteKeys] = []
        for start in stride(from: 0, to: lines.count, by: 2) {
            guard let name = String(validating: lines[start], as: UTF8.self), !name.isEmpty else { throw damage }
            keys.append(RemoteKeys(name: name, secret: try secret(Array(lines[start + 1]))))
        }
        return .keys(keys)
    }

    static func secret(_ bytes: [UInt8]) throws(KeychainError) -> SecretBytes {
        do throws(CryptographyError) { return try SecretBytes(copying: bytes) } catch { throw noMemory }
    }

    private static let noMemory = KeychainError(.failed, "there is no memory for the credentials")
}
