import Authorization
import Cryptography
import Foundation
import Item
import JSON
import Platform
import Recovery
import TestSupport

@testable import Vault

/// A vault sealed by software, with items, a recovery code and a log.
struct SampleVault {
    let folder: TemporaryFolder
    let sealer: SoftwareSealer
    let authenticator: P256.PrivateKey
    let keys: NewVaultKeys
    let record: RegistryRecord
    let code: RecoveryCode
    let items: [ItemSummary]

    init(_ owner: Owner = .user(1000)) throws {
        folder = try TemporaryFolder()
        sealer = SoftwareSealer(directory: folder.path)
        authenticator = try P256.PrivateKey.generate()
        let id = try VaultID.random()
        keys = try sealer.makeKeys(vault: id, owner: owner, authenticatorKey: authenticator.publicKey)
        record = RegistryRecord(
            vault: id, owner: owner, ownerName: "tester", created: 1_799_999_999_999, sealer: .software,
            authenticatorKey: authenticator.publicKey, storageKey: nil, objects: keys.names)
        try VaultFile.create(directory: folder.path, keys: keys, record: record)
        let vault = try OpenVault(directory: folder.path, record: record, sealer: sealer)
        for (index, access) in [
            AccessControl.always, .whenUnlocked, .whenUnlocked.requiring(.userPresence),
        ].enumerated() {
            _ = try vault.set(
                ItemDraft(
                    service: "service", account: "\(index)", value: SecretBytes(copying: Self.value(index)),
                    access: access, label: "Label", attributes: ["kind": "\(index)"], expires: 1_900_000_000_000))
        }
        // One of them has a value that it had before.
        try vault.set(
            ItemDraft(
                service: "service", account: "0", value: SecretBytes(copying: Self.value(0)), access: PartialAccess()))
        code = try RecoveryCode.random()
        let key = try sealer.open(.recovery, vault.objects, record: record, sign: Self.signing(authenticator))
        try vault.confirm(try vault.wrap(key, under: code))
        try vault.note(AccessRecord(.read, detail: "a record"), .anchored)
        items = try vault.list()
        try vault.close()
    }

    static func value(_ index: Int) -> [UInt8] { Array("value \(index)".utf8) }

    /// The stamps of an item whose parts were all changed.
    var stamps: [UInt8] {
        var stamps = ItemStamps(base: Stamp(clock: 1, origin: record.vault))
        let parts: [ItemPart] = [.name, .access, .label, .comment, .expiry, .bin, .attribute([107]), .field(.secret)]
        for part in parts { stamps.note(part, at: 2, in: record.vault) }
        return stamps.encoded
    }

    static func signing(_ key: P256.PrivateKey) -> (SigningRequest) throws(SigningRefusal) -> [UInt8] {
        { (request) throws(SigningRefusal) in
            do { return try key.signature(for: request.message()) } catch { throw SigningRefusal("\(error)") }
        }
    }

    var path: String { VaultFile.path(of: record.owner, in: folder.path) }
    var logPath: String { VaultFile.logPath(of: record.owner, in: folder.path) }

    func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// A record, as for a TPM's vault.
    func recordUnderTPM() throws -> RegistryRecord {
        RegistryRecord(
            vault: record.vault, owner: record.owner, ownerName: "tester", created: record.created, sealer: .tpm,
            authenticatorKey: record.authenticatorKey,
            storageKey: StorageKeyPin(
                handle: 0x8100_0001, name: [0, 11] + [UInt8](repeating: 1, count: 32), context: [1, 2, 3]),
            counter: CounterPin(handle: 0x01B0_C001, base: 7, context: [4, 5, 6]), objects: record.objects,
            generation: GenerationPin(handle: 0x01B0_C002, policy: [UInt8](repeating: 9, count: 32)))
    }
}

/// Notes beside vaults, under the vault's own MACs, under other MACs, and unchanged.
struct NoteTarget: FuzzTarget {
    private let own: SampleVault
    private let other: SampleVault
    private let path: String
    private let note: [UInt8]
    private let tree: JSONTree
    private let donors: [JSONTree]
    private let keys: (own: SecretBytes, other: SecretBytes)

    init() async throws {
        own = try SampleVault()
        other = try SampleVault(.user(1001))
        path = VaultFile.successionPath(of: own.record.owner, in: own.folder.path)
        keys = (
            try VaultKeys(deviceRoot: own.keys.deviceRoot, vault: own.record.vault).integrity,
            try VaultKeys(deviceRoot: other.keys.deviceRoot, vault: other.record.vault).integrity
        )
        var succession = Succession(record: try own.recordUnderTPM(), former: own.record)
        succession.offer = Succession.Offer(boot: try BootTime.bootID(), time: BootTime.milliseconds)
        try succession.write(path, former: keys.own, successor: keys.own)
        note = try own.bytes(path)
        tree = try JSONTree(parsing: Array(note.dropFirst(64)))
        donors = [try JSONTree(parsing: JSONWriter.bytes(of: other.recordUnderTPM()))]
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let text = mutator.text(tree, donors: donors)
        let forged = mutator.chance(3) ? mutator.bytes(note) : Array(note.prefix(64)) + text
        try Data(forged).write(to: URL(fileURLWithPath: path))
        for voucher in Succession.Voucher.allCases {
            for key in [keys.own, keys.other] {
                let found = try answer { try Succession.read(path, by: voucher, key: key) } ?? nil
                let isAsWritten = forged.dropFirst(64) == note.dropFirst(64)
                try promise(found == nil || isAsWritten, "a note that nobody vouched for was believed")
            }
        }
        // The vault's own MAC over arbitrary content.
        let macs = try Succession.Voucher.allCases.flatMap { voucher in
            try HMACSHA256.code(
                for: LengthPrefixed.encode(
                    Array("org.coffer.succession".utf8), Array(voucher.rawValue.utf8), text), key: keys.own)
        }
        try Data(macs + text).write(to: URL(fileURLWithPath: path))
        for voucher in Succession.Voucher.allCases {
            guard let found = try answer({ try Succession.read(path, by: voucher, key: keys.own) }) ?? nil else {
                continue
            }
            for now in [Int64.min, -1, 0, 1, BootTime.milliseconds, .max] { _ = found.offer?.isOpen(at: now) }
            _ = (found.record.indexHandles, found.former.indexHandles, found.record.canBeBound)
        }
    }
}

/// Root's records, and the file that names the present key.
struct RegistryTarget: FuzzTarget {
    private let folder: TemporaryFolder
    private let registry: Registry
    private let trees: [JSONTree]

    init() async throws {
        let sample = try SampleVault()
        folder = try TemporaryFolder()
        registry = Registry(directory: folder.path, authenticatorUID: OwnProcess.effectiveUser)
        try Folder.make(folder.path + "/vaults", mode: 0o755)
        let pin = try required(GenerationPin(handle: 0x01B0_C003, policy: [UInt8](repeating: 3, count: 32)))
        let bound = try sample.recordUnderTPM().with(
            binding: required(BindingPin(index: pin, salt: [UInt8](repeating: 2, count: 16))),
            unlockRoot: [UInt8](repeating: 8, count: 34))
        trees = try [sample.record, sample.recordUnderTPM(), bound].map {
            try JSONTree(parsing: JSONWriter.bytes(of: $0))
        }
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let owner = Owner.user(1000)
        let tree = trees[mutator.below(trees.count)]
        try Data(mutator.text(tree, donors: trees)).write(to: URL(fileURLWithPath: registry.path(of: owner)))
        if let record = try answer({ try registry.record(for: owner) }) ?? nil {
            try promise(record.owner == owner, "another's record was read")
            let again = try JSONReader.read(RegistryRecord.self, from: JSONWriter.bytes(of: record))
            try promise(again == record, "a record is another one when it is written again")
        }
        _ = try answer { try registry.namedIndexes().has(handle: 0x01B0_C000) }
        _ = registry.reservedHandles()
        let key = Hex.encode([4] + [UInt8](repeating: 7, count: 64))
        try Data(mutator.bytes(Array(key.utf8))).write(
            to: URL(fileURLWithPath: Registry.presentKeyPath(in: registry.directory)))
        if let point = try answer({ try registry.presentKey() }) ?? nil {
            try promise(point.count == 65, "a key of another length was read")
        }
    }
}

func required<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw BrokenPromise("the sample is none") }
    return value
}
