import Authorization
import Cryptography
import Item
import TestSupport
import Testing

@testable import Vault

/// Items that are bound to the enrolled fingers. The attacker knows the device's passcode and enrols a finger of their own.
struct FingerTests {
    private let fixture: VaultFixture
    private let vault: OpenVault
    private let bound: AccessControl
    private let either: AccessControl

    init() throws {
        bound = try AccessControl(requirements: [.biometryCurrentSet])
        either = try AccessControl(requirements: [.userPresence, .biometryCurrentSet], anyIsEnough: true)
        fixture = try VaultFixture()
        vault = try fixture.open()
        try enrol(1)
    }

    /// Other fingers are enrolled from now on, and have a key.
    private func enrol(_ number: UInt8) throws {
        let digest = [UInt8](repeating: number, count: 32)
        let (key, name) = try fixture.sealer.makeSetKey(digest, record: vault.record)
        try vault.put(setKey: key)
        try vault.take(vault.record.with(biometrySet: digest, key: name), sealer: fixture.sealer)
    }

    private func value(of item: ItemSummary) throws -> SecretBytes {
        let keys = try fixture.unlock(vault)
        return try vault.value(of: item, classKeys: keys, agreements: fixture.agreements(vault, item))
    }

    private func text(of item: ItemSummary) throws -> String {
        String(decoding: revealed(try value(of: item)), as: UTF8.self)
    }

    @Test func otherFingersReadNothing() throws {
        let item = try vault.set(.make("s", "a", "value", bound)).item
        #expect(try text(of: item) == "value")
        try enrol(2)
        #expect(vaultError { _ = try vault.readPlan(for: item) } == .fingersChanged)
        // Set again, it is theirs.
        let again = try vault.set(.make("s", "a", "another", bound)).item
        #expect(try text(of: again) == "another")
        // The former value is not.
        #expect(try vault.history(service: "s", account: "a").versions.isEmpty)
        #expect(
            vaultError { _ = try vault.look(service: "s", account: "a", version: 1) { try $0.plan() } } == .notFound)
    }

    /// The file takes no key, so memory takes none either.
    @Test func aKeyThatWasNotStoredIsNotUsed() throws {
        let before = vault.objects
        let (key, _) = try fixture.sealer.makeSetKey([UInt8](repeating: 2, count: 32), record: vault.record)
        let another = SealedObject(role: .presence, public: key.public, private: key.private)
        #expect(vaultError { try vault.put(setKey: another) } == .invalidArgument)
        try vault.close()
        #expect(vaultError { try vault.put(setKey: key) } != nil)
        #expect(vault.objects == before && vault.hasSetKey)
    }

    /// The disk fails after the commit, so the file has the key. The vault is whole, and knows of it.
    @Test func aKeyThatWasNotWrittenBackIsThere() throws {
        let digest = [UInt8](repeating: 2, count: 32)
        let (key, name) = try fixture.sealer.makeSetKey(digest, record: vault.record)
        try withoutWriting(fixture.path) { #expect(vaultError { try vault.put(setKey: key) } == .storage) }
        #expect(vault.objects[.biometryCurrentSet] == key && !vault.hasSetKey)
        #expect(try vault.list().isEmpty)
        try vault.set(.make("s", "a", "v"))
        _ = try vault.verify()
        try vault.take(vault.record.with(biometrySet: digest, key: name), sealer: fixture.sealer)
        let item = try vault.set(.make("s", "b", "value", bound)).item
        #expect(try text(of: item) == "value")
    }

    /// Root may give a vault other fingers, another binding or another boot. Any other record is that of another vault.
    @Test func aRecordOfAnotherVaultIsNotTaken() throws {
        let present = vault.record
        func record(
            _ id: VaultID? = nil, owner: Owner? = nil, name: String? = nil, created: UInt64? = nil,
            sealer: SealerKind? = nil, key: [UInt8]? = nil, objects: [ObjectRole: [UInt8]]? = nil,
            isService: Bool = false
        ) -> RegistryRecord {
            RegistryRecord(
                vault: id ?? present.vault, owner: owner ?? present.owner, ownerName: name ?? present.ownerName,
                created: created ?? present.created, sealer: sealer ?? present.sealer,
                authenticatorKey: key ?? present.authenticatorKey, storageKey: nil,
                objects: objects ?? present.objects, isService: isService, biometrySet: present.biometrySet)
        }
        let id = try VaultID.random()
        var objects = present.objects
        objects[.presence] = [UInt8](repeating: 1, count: 34)
        // Another unlock root may be named only if the file has it.
        var roots = present.objects
        roots[.unlockRoot] = [UInt8](repeating: 1, count: 34)
        let others = [
            record(id), record(owner: .user(1001)), record(name: "other"),
            record(created: present.created + 1), record(sealer: .tpm),
            record(key: [4]), record(objects: objects), record(objects: roots), record(isService: true),
        ]
        for (number, other) in others.enumerated() {
            #expect(vaultError { try vault.take(other, sealer: fixture.sealer) } == .damaged, "\(number)")
            #expect(vault.record == present, "\(number)")
        }
        try vault.take(record(), sealer: fixture.sealer)
        #expect(vault.record == present && vault.hasSetKey)
    }

    /// Coffer's own mistake: roots whose class keys are unreadable. Nothing is sealed to unknown keys.
    @Test func rootsWithoutClassKeysAreNotTaken() throws {
        let present = vault.record
        let root = SealedObject(role: .unlockRoot, public: [1], private: [2])
        vault.pinned.withLock { $0.put(Transition(objects: [root], keybag: [3], index: nil, formerIndex: nil)) }
        var objects = present.objects
        objects[.unlockRoot] = try fixture.sealer.name(of: root)
        let record = RegistryRecord(
            vault: present.vault, owner: present.owner, ownerName: present.ownerName, created: present.created,
            sealer: present.sealer, authenticatorKey: present.authenticatorKey, storageKey: nil, objects: objects,
            biometrySet: present.biometrySet)
        #expect(vaultError { try vault.take(record, sealer: fixture.sealer) } == .damaged)
    }

    /// The passcode is enough to read the item. It must not be enough to bind it to the attacker's finger, which would
    /// read it whenever the person has another passcode.
    @Test func whatIsReadWithoutAFingerIsBoundToNoOther() throws {
        try vault.set(.make("s", "a", "former", either))
        let item = try vault.set(.make("s", "a", "value", either)).item
        let keys = try fixture.unlock(vault)
        let (former, before) = try vault.look(service: "s", account: "a", version: 1) { view in
            (view.item, try view.value(classKeys: keys, agreements: fixture.agreements(vault, view.plan())))
        }
        try enrol(2)
        let plan = try vault.readPlan(for: item)
        #expect(plan.alternatives.count == 1 && plan.alternatives[0].agreements.map(\.role) == [.presence])
        let value = try value(of: item)
        #expect(revealed(value) == Array("value".utf8))
        #expect(vaultError { try vault.rotate(item, value: value) } == .fingersChanged)
        #expect(
            vaultError { try vault.rename(item, service: "s", account: "b", value: value) } == .fingersChanged)
        #expect(vaultError { try vault.restore(former, value: before) } == .fingersChanged)
        #expect(try vault.find(service: "s", account: "a") == item)
        _ = try vault.verify()
    }

    /// Somebody enrols their own finger while the keys are renewed. A successor binds nothing to it.
    @Test func aSuccessorBindsNothingToOtherFingers() throws {
        let item = try vault.set(.make("s", "a", "value", bound)).item
        let value = try value(of: item)
        let successor = try fixture.successor(of: vault)
        let next = successor.vault
        let digest = [UInt8](repeating: 2, count: 32)
        let (key, name) = try fixture.sealer.makeSetKey(digest, record: next.record)
        try next.put(setKey: key)
        try next.take(next.record.with(biometrySet: digest, key: name), sealer: fixture.sealer)
        let code = vaultError { try successor.takeUp([.plain(item, [FieldValue(.secret, value)])]) }
        #expect(code == .fingersChanged)
        #expect(try successor.vault.count == 0)
    }
}
