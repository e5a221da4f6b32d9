import Authorization
import Cryptography
import Foundation
import Item
import SQLite
import Synchronization
import TestSupport

@testable import Vault

/// A vault in a throw-away folder, sealed by software, and an authenticator that always agrees.
final class VaultFixture: Sendable {
    let folder: TemporaryFolder
    let sealer: SoftwareSealer
    let authenticator: P256.PrivateKey
    let keys: NewVaultKeys
    let record: RegistryRecord
    let clock = Mutex<UInt64>(1_800_000_000_000)
    /// The limits of the vault from its next opening on.
    let room = Mutex(Room())
    /// What was told of committed changes.
    let told = Mutex<[CommittedChange]>([])

    /// - Parameter folder: another vault's folder, so that both are under the same machine key.
    init(owner: Owner = .user(1000), in folder: TemporaryFolder? = nil, pageSize: Int = 4096) throws {
        self.folder = try folder ?? TemporaryFolder()
        sealer = SoftwareSealer(directory: self.folder.path)
        authenticator = try P256.PrivateKey.generate()
        let vault = try VaultID.random()
        keys = try sealer.makeKeys(vault: vault, owner: owner, authenticatorKey: authenticator.publicKey)
        record = RegistryRecord(
            vault: vault, owner: owner, ownerName: "tester", created: 1_799_999_999_999, sealer: .software,
            authenticatorKey: authenticator.publicKey, storageKey: nil, objects: keys.names)
        try VaultFile.create(directory: self.folder.path, keys: keys, record: record, pageSize: pageSize)
    }

    /// The fixture of a vault that has succeeded another one's.
    init(of other: VaultFixture, _ record: RegistryRecord, _ keys: NewVaultKeys) {
        (folder, sealer, authenticator) = (other.folder, other.sealer, other.authenticator)
        (self.record, self.keys) = (record, keys)
        clock.withLock { $0 = other.clock.withLock { $0 } }
        room.withLock { $0 = other.room.withLock { $0 } }
    }

    /// The fixture of a vault that an earlier Coffer has made. Nobody has its keys in the clear, so `keys` are of none.
    init(
        of earlier: RegistryRecord, in folder: TemporaryFolder, _ sealer: SoftwareSealer,
        _ authenticator: P256.PrivateKey, at time: UInt64
    ) throws {
        (self.folder, self.sealer, self.authenticator, record) = (folder, sealer, authenticator, earlier)
        keys = try sealer.makeKeys(
            vault: VaultID.random(), owner: earlier.owner, authenticatorKey: authenticator.publicKey)
        clock.withLock { $0 = time }
    }

    var path: String { VaultFile.path(of: record.owner, in: folder.path) }

    func open(in directory: String? = nil, memory: KeptMemory = KeptMemory()) throws -> OpenVault {
        try OpenVault(
            directory: directory ?? folder.path, record: record, sealer: sealer, now: { self.clock.withLock { $0 } },
            logLimit: AccessLogLimits.size, room: room.withLock { $0 }, kept: KeptRows(memory),
            onChange: { changes in self.told.withLock { $0 += changes } })
    }

    /// The file is closed, and opened with nothing in memory.
    func openAgain(from vault: OpenVault, kept: KeptRows) throws -> OpenVault {
        try vault.close()
        return try OpenVault(
            directory: folder.path, record: record, sealer: sealer, now: { self.clock.withLock { $0 } },
            logLimit: AccessLogLimits.size, kept: kept)
    }

    func advance(milliseconds: UInt64) { clock.withLock { $0 += milliseconds } }

    func sign(_ request: SigningRequest) throws(SigningRefusal) -> [UInt8] {
        do { return try authenticator.signature(for: request.message()) } catch { throw SigningRefusal("\(error)") }
    }

    func unlock(_ vault: OpenVault) throws -> ClassKeys {
        let root = try sealer.open(.unlockRoot, vault.objects, record: record) { (request) throws(SigningRefusal) in
            try sign(request)
        }
        return try vault.classKeys(unlockRoot: root)
    }

    /// The agreement of the constraint keys, for the first way of reading.
    func agreements(_ vault: OpenVault, _ item: ItemSummary) throws -> Agreements {
        try agreements(vault, vault.readPlan(for: item))
    }

    func agreements(_ vault: OpenVault, _ plan: ReadPlan) throws -> Agreements {
        var agreements: Agreements = [:]
        for agreement in plan.alternatives[0].agreements {
            agreements[agreement.point] = try sealer.agree(
                agreement.role, point: agreement.point, vault.objects, record: vault.record
            ) { (request) throws(SigningRefusal) in try sign(request) }
        }
        return agreements
    }

    /// An empty successor of the vault, with other keys.
    func successor(of vault: OpenVault) throws -> SuccessorVault { try successorAndKeys(of: vault).successor }

    func successorAndKeys(of vault: OpenVault) throws -> (successor: SuccessorVault, keys: NewVaultKeys) {
        let id = try VaultID.random()
        let keys = try sealer.makeKeys(vault: id, owner: record.owner, authenticatorKey: authenticator.publicKey)
        let next = RegistryRecord(
            vault: id, owner: record.owner, ownerName: "tester", created: record.created, sealer: .software,
            authenticatorKey: authenticator.publicKey, storageKey: nil, objects: keys.names)
        try vault.begin(Succession(record: next, former: vault.record), keys: keys)
        let successor = try SuccessorVault(
            in: folder.path, record: next, sealer: sealer, now: { self.clock.withLock { $0 } })
        return (successor, keys)
    }

    /// The whole way to a value, with every consent.
    func value(_ vault: OpenVault, _ service: String, _ account: String) throws -> [UInt8] {
        let item = try vault.find(service: service, account: account)
        let keys = try unlock(vault)
        let value = try vault.value(of: item, classKeys: keys, agreements: agreements(vault, item))
        return revealed(value)
    }

    /// Somebody who can write the file does so. The vault must be closed.
    func tamper(_ body: (Connection) throws -> Void) throws { try change(path, body) }

    /// Every file of the folder, whole.
    func files() throws -> [(name: String, bytes: Data)] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).map { name in
            (name, try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)")))
        }
    }
}

func secret(_ bytes: [UInt8]) throws -> SecretBytes { try SecretBytes(copying: bytes) }

func secret(_ text: String) throws -> SecretBytes { try SecretBytes(copying: Array(text.utf8)) }

func revealed(_ secret: SecretBytes) -> [UInt8] {
    secret.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
}

/// The code of the vault error that a closure ends with; nil if there is none.
func vaultError(_ body: () throws -> Void) -> VaultError.Code? {
    do {
        try body()
        return nil
    } catch let error as VaultError {
        return error.code
    } catch {
        return .invalidArgument
    }
}

extension RenewedItem {
    /// An item of a vault that shares its items with nobody.
    static func plain(_ item: ItemSummary, _ values: [FieldValue]) -> RenewedItem {
        RenewedItem(item: item, values: values, revisions: [:], slots: [], applicationPassword: nil)
    }
}

extension ItemDraft {
    /// A draft for tests.
    static func make(
        _ service: String, _ account: String, _ value: String, _ access: AccessControl = .whenUnlocked
    ) throws -> ItemDraft {
        ItemDraft(service: service, account: account, value: try secret(value), access: access)
    }
}
