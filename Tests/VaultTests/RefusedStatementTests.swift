import Authorization
import Cryptography
import Item
import Testing

@testable import Vault

/// SQLite refuses one statement of a change, because the disk fails just then. The transaction stays open. So a change
/// that went on all the same would be committed without a part of it.
struct RefusedStatementTests {
    private let fixture: VaultFixture
    private let vault: OpenVault
    private let gated: AccessControl

    init() throws {
        gated = try AccessControl(requirements: [.userPresence])
        fixture = try VaultFixture()
        vault = try fixture.open()
        for value in ["one", "two"] { try vault.set(.make("s", "a", value, gated)) }
        try vault.set(.make("t", "b", "v"))
    }

    private var now: UInt64 { fixture.clock.withLock { $0 } }

    /// A change is refused without any of these statements, and leaves everything as it was.
    private func expectRefusal(
        _ what: String, without statements: String..., of change: () throws -> Void
    ) throws {
        let before = try vault.list()
        let revision = vault.lastHeader.revision
        for statement in statements {
            try vault.refuse(statement)
            let code = vaultError(change)
            try vault.refuseNothing()
            #expect(code == .damaged, "\(what), without \(statement)")
        }
        #expect(vault.lastHeader.revision == revision, "\(what)")
        #expect(try vault.list() == before, "\(what)")
        _ = try vault.verify()
    }

    @Test func anItemIsStoredWithAllItsRows() throws {
        try expectRefusal(
            "a new item", without: "INSERT ON field", "INSERT ON item", "INSERT ON value", "INSERT ON posting",
            "INSERT ON node", "INSERT ON header"
        ) { try vault.set(.make("u", "new", "v")) }
        try expectRefusal("another value", without: "INSERT ON former", "INSERT ON value") {
            try vault.set(.make("s", "a", "three", gated))
        }
        try vault.set(.make("u", "new", "v"))
    }

    @Test func anItemIsRemovedWithAllItsRows() throws {
        try expectRefusal(
            "a deletion", without: "DELETE ON former", "DELETE ON field", "DELETE ON item", "DELETE ON value",
            "DELETE ON posting", "DELETE ON node", "INSERT ON node"
        ) { try vault.delete(service: "s", account: "a") }
        try vault.delete(service: "s", account: "a")
        #expect(try vault.verify().items == 1)
    }

    @Test func everyWayToRemoveAnItem() throws {
        let item = try vault.find(service: "s", account: "a")
        try expectRefusal("an item that was looked at", without: "DELETE ON item") { try vault.delete(item) }
        try expectRefusal("one of several changes", without: "DELETE ON item") {
            try vault.apply([.delete(service: "s", account: "a", kind: .genericPassword, ifRevision: nil)])
        }
        try expectRefusal("the end of a service", without: "DELETE ON item") {
            try vault.apply([.deleteService("s", kind: nil)])
        }
        try vault.put(vault.history, BinSetting(days: 0))
        try expectRefusal("a vault without a bin", without: "DELETE ON item") {
            try vault.putAside(service: "s", account: "a")
        }
        try vault.edit(item, changes: MetadataChanges(expires: now + 1))
        fixture.advance(milliseconds: 1)
        try expectRefusal("an expired item", without: "DELETE ON item") {
            _ = try vault.sweep(expiredBy: now, limit: 9)
        }
        #expect(try vault.sweep(expiredBy: now, limit: 9).count == 1)
    }

    @Test func everyWayThroughTheBin() throws {
        try expectRefusal("into the bin", without: "INSERT ON item") { try vault.putAside(service: "s", account: "a") }
        try vault.putAside(service: "s", account: "a")
        try expectRefusal("back", without: "INSERT ON item") { try vault.putBack(service: "s", account: "a") }
        try expectRefusal("out of the bin", without: "DELETE ON item") {
            try vault.deleteFromBin(service: "s", account: "a")
        }
        try expectRefusal("another setting", without: "DELETE ON item") {
            try vault.put(vault.history, BinSetting(days: 0))
        }
        fixture.advance(milliseconds: 40 * 86_400_000)
        try expectRefusal("after its time", without: "DELETE ON item") { _ = try vault.sweepBin(limit: 9) }
        #expect(try vault.sweepBin(limit: 9).count == 1)
    }

    /// An item of the bin makes room for a new one.
    @Test func roomIsMadeWhole() throws {
        try vault.putAside(service: "s", account: "a")
        try vault.close()
        fixture.room.withLock { $0 = Room(items: 2) }
        let full = try fixture.open()
        try full.refuse("DELETE ON item")
        #expect(vaultError { try full.set(.make("u", "new", "v")) } == .damaged)
        try full.refuseNothing()
        #expect(try full.deletedItems().count == 1)
        try full.set(.make("u", "new", "v"))
        #expect(try full.deletedItems().isEmpty && full.verify().items == 2)
    }

    @Test func theKeyOfTheFingers() throws {
        let before = vault.objects
        let object = SealedObject(role: .biometryCurrentSet, public: [1], private: [2])
        try expectRefusal("the key of the fingers", without: "INSERT ON object") { try vault.put(setKey: object) }
        #expect(vault.objects == before)
        try vault.put(setKey: object)
        let other = SealedObject(role: .biometryCurrentSet, public: [3], private: [4])
        try expectRefusal("another one", without: "DELETE ON object", "INSERT ON object") {
            try vault.put(setKey: other)
        }
        #expect(vault.objects[.biometryCurrentSet] == object)
    }

    /// The change of a binding or a boot tie, and its end.
    @Test func theRowsOfRoots() throws {
        let digest = [UInt8](repeating: 1, count: SHA256.count)
        let root = SealedObject(role: .unlockRoot, public: [1], private: [2])
        let boots = SealedObject(role: .approvedBoots, public: [1], private: [])
        let transition = Transition(objects: [root], keybag: [3], index: nil, formerIndex: nil)
        let former = vault.objects
        func finish(_ former: SealedObjects, _ objects: SealedObjects, _ change: Change) throws(VaultError) {
            try change.finish(transition, former, objects, objectsDigest: digest, keybagDigest: digest)
        }
        let changes: [(String, (Change) throws(VaultError) -> Void)] = [
            (
                "INSERT ON object",
                { (change) throws(VaultError) in try change.put(boots, objectsDigest: digest) }
            ),
            (
                "INSERT ON transition",
                { (change) throws(VaultError) in try change.put(transition, objectsDigest: digest) }
            ),
            ("INSERT ON object", { (change) throws(VaultError) in try finish([:], [.unlockRoot: root], change) }),
            ("DELETE ON object", { (change) throws(VaultError) in try finish(former, [:], change) }),
            ("DELETE ON keybag", { (change) throws(VaultError) in try finish([:], [:], change) }),
            ("INSERT ON keybag", { (change) throws(VaultError) in try finish([:], [:], change) }),
            (
                "DELETE ON transition",
                { (change) throws(VaultError) in
                    try change.rows.put(transition: [1])
                    try finish([:], [:], change)
                }
            ),
        ]
        for (number, (statement, change)) in changes.enumerated() {
            try expectRefusal("\(number)", without: statement) {
                try vault.write { (one) throws(VaultError) in try change(one) }
            }
        }
    }

    /// The slots that a guarded value gets for the other machines of a circle.
    @Test func theSlotsForOtherMachines() throws {
        let desk = try CircleGroup("desk", "laptop").machines[0]
        try desk.vault.refuse("INSERT ON circle")
        #expect(vaultError { try desk.set("bank", "me", "secret", gated) } == .damaged)
        try desk.vault.refuseNothing()
        #expect(try desk.names.isEmpty)
        try desk.set("bank", "me", "secret", gated)
        _ = try desk.vault.verify()
    }
}
