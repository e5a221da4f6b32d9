import Authorization
import Cryptography
import Item
import TestSupport
import Testing

@testable import Vault

/// What a change itself refuses, and how it makes room.
struct ChangeTests {
    private let fixture: VaultFixture
    private let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    // Refusals

    @Test func anItemKeepsItsKind() throws {
        let item = try vault.set(.make("s", "a", "v")).item
        let key = Metadata(service: "s", account: "a", kind: .key, created: 1, modified: 1, valueSet: 1)
        let code = vaultError {
            try vault.write { (change) throws(VaultError) in
                let old = try change.item(item.id)
                _ = try change.put(
                    change.fields(of: old), key, old.record.access, version: old.record.version, of: item.id,
                    replacing: old)
            }
        }
        #expect(code == .invalidArgument)
        #expect(try vault.find(service: "s", account: "a") == item)
    }

    /// The point of a guarded value leads to its item, and goes with that item alone.
    @Test func aPointGoesWithItsItem() throws {
        let gated = try AccessControl(requirements: [.userPresence])
        let one = try vault.set(.make("s", "one", "v", gated)).item
        let other = try vault.set(.make("s", "other", "v", gated)).item
        let field = try vault.read { (snapshot) throws(VaultError) in
            try snapshot.value(of: snapshot.item(one.id)).field
        }
        let code = vaultError {
            try vault.write { (change) throws(VaultError) in try change.removeValue(field, of: other.id) }
        }
        #expect(code == .damaged)
        _ = try vault.verify()
    }

    /// A run's first step is taken, or the counter must follow first. It is never left to a later one.
    @Test func aFirstStepIsTakenOrRefused() throws {
        let header = vault.lastHeader
        for step in [Change.Step.left, .refused] {
            let code = vaultError {
                try vault.database.write { (rows) throws(VaultError) -> Void in
                    let change = Change(
                        rows, header: header, keys: vault.keys, kind: .firstStep, step: step, room: Room())
                    _ = try change.finish()
                }
            }
            #expect(code == .uncounted)
        }
    }

    /// No step is free: the run has not taken its first one, or the counter has not followed the last one. What these
    /// changes promise could not be kept.
    @Test func whatTakesAStepIsRefusedWhileNoneIsFree() throws {
        let gated = try AccessControl(requirements: [.userPresence])
        let item = try vault.set(.make("s", "a", "v")).item
        let epoch = vault.epoch
        vault.epochs.withLock { $0 = EpochCount(counted: epoch) }
        let ways: [(String, () throws -> Void)] = [
            ("a new key", { try vault.rotate(item, value: secret("v")) }),
            ("another access control", { try vault.reseal(item, value: secret("v"), access: gated) }),
            ("a value under another one", { try vault.set(.make("s", "a", "w", gated)) }),
            ("a deletion", { try vault.delete(item) }),
        ]
        for (name, way) in ways { #expect(vaultError(way) == .uncounted, "\(name)") }
        #expect(vault.epoch == epoch)
        #expect(try vault.find(service: "s", account: "a") == item)
        // What takes no step is changed as ever.
        try vault.set(.make("s", "a", "w"))
    }

    /// Attacker 5 puts a node into the tree's free part. A new item whose place is there must not be stored beside the
    /// tree.
    @Test func anItemWhosePlaceIsDamagedIsNotStored() throws {
        let metadata = Metadata(service: "s", account: "a", created: 1, modified: 1, valueSet: 1)
        var id = try ItemID.random()
        // The index entries are elsewhere.
        let others = Set(try vault.keys.terms(of: metadata, id).map { $0[0] >> 4 })
        while try others.contains(TreeEntry.key(item: id)[0] >> 4) { id = try ItemID.random() }
        let (item, node) = (id, TreeNode(level: 1, above: try TreeEntry.key(item: id)))
        let code = vaultError {
            try vault.write { (change) throws(VaultError) in
                try change.rows.put(node, [0])
                _ = try change.put(
                    ItemFields(sealedStamps: [1], fields: []), metadata, .whenUnlocked, version: 1, of: item,
                    replacing: nil)
            }
        }
        #expect(code == .damaged)
        #expect(try vault.count == 0)
    }

    // Room

    /// A vault that has more than it may, because the limits were others. What makes it no larger is allowed.
    @Test func anItemThatDoesNotGrowIsChangedInAFullVault() throws {
        for account in ["a", "b"] { try vault.set(.make("s", account, "v")) }
        try vault.close()
        fixture.room.withLock { $0 = Room(items: 1) }
        let full = try fixture.open()
        let item = try full.find(service: "s", account: "a")
        let edited = try full.edit(item, changes: MetadataChanges(label: "l"))
        let long = MetadataChanges(label: String(repeating: "l", count: ItemLimits.label))
        #expect(vaultError { try full.edit(edited, changes: long) } == .limitExceeded)
        _ = try full.verify()
    }

    @Test func aFileThatIsJustFullKeepsItsBin() throws {
        try vault.set(.make("s", "gone", String(repeating: "x", count: 50_000)))
        try vault.putAside(service: "s", account: "gone")
        let item = try vault.set(.make("s", "a", "v")).item
        let (header, revision) = (vault.lastHeader, try RevisionID.random())
        let field = try vault.read { (snapshot) throws(VaultError) in
            let field = try snapshot.value(of: snapshot.item(item.id)).field
            return FieldRecord(
                version: field.version, revision: revision, valueKey: revision.bytes, format: field.format,
                item: field.item, access: field.access, valueDigest: field.valueDigest, commitment: field.commitment,
                slots: field.slots)
        }
        /// What a file of this limit has in its bin once the value is in it, and how large it is then. Nothing stays.
        func put(limit: Int64) -> (bin: Int, file: Int64) {
            var (bin, file): (Int, Int64) = (-1, 0)
            let code = vaultError {
                try vault.database.write { (rows) throws(VaultError) -> Void in
                    let change = Change(
                        rows, header: header, keys: vault.keys, step: .taken, room: Room(file: limit))
                    try change.put(sealedValue: [UInt8](repeating: 1, count: 30_000), field, of: item.id)
                    bin = try change.bin().count
                    file = try rows.fileBytes()
                    throw .changed
                }
            }
            #expect(code == .changed)
            return (bin, file)
        }
        let size = put(limit: 1 << 30).file
        #expect(put(limit: size).bin == 1)
        #expect(put(limit: size - 1).bin == 0)
    }

    /// What was deleted makes room before any former value does.
    @Test func theBinMakesRoomBeforeTheHistory() throws {
        try vault.close()
        fixture.room.withLock { $0 = Room(file: 1 << 20) }
        let small = try fixture.open()
        let value = String(repeating: "x", count: 250 << 10)
        try small.set(.make("s", "gone", value))
        try small.putAside(service: "s", account: "gone")
        for number in 1...2 { try small.set(.make("s", "kept", "\(number)" + value)) }
        #expect(try small.deletedItems().count == 1)
        try small.set(.make("s", "new", value))
        #expect(try small.deletedItems().isEmpty)
        #expect(try small.history(service: "s", account: "kept").versions.map(\.version) == [1])
        _ = try small.verify()
    }
}
