import Authorization
import Cryptography
import Item
import Testing

@testable import Vault

/// Sealed data is bound to vault, item, version, access control and slot, even for an attacker who gets past the tree.
struct BindingTests {
    let access: AccessControl
    let context: ItemContext
    let others: [ItemContext]

    init() throws {
        let access = try AccessControl(requirements: [.userPresence])
        let (vault, item) = (try VaultID.random(), try ItemID.random())
        func make(
            _ vault: VaultID, _ item: ItemID, version: UInt64 = 1, _ access: AccessControl
        ) -> ItemContext {
            ItemContext(format: FormatContext(vault: vault), item: item, version: version, access: access)
        }
        self.access = access
        context = make(vault, item, access)
        others = [
            make(try .random(), item, access), make(vault, try .random(), access),
            make(vault, item, version: 2, access),
            make(vault, item, .whenUnlocked),
            make(vault, item, try AccessControl(isThisDeviceOnly: true, requirements: [.userPresence])),
        ]
    }

    @Test func values() throws {
        let key = try SecretBytes.random(count: 32)
        let sealed = try context.seal(value: secret("value"), key: key)
        #expect(revealed(try context.open(value: sealed, key: key)) == Array("value".utf8))
        for other in others { #expect(vaultError { _ = try other.open(value: sealed, key: key) } == .damaged) }
        #expect(vaultError { _ = try context.open(metadata: sealed, key: key) } == .damaged)
    }

    @Test func metadata() throws {
        let key = try SecretBytes.random(count: 32)
        let metadata = Metadata(service: "s", account: "a", created: 1, modified: 2, valueSet: 3)
        let sealed = try context.seal(metadata: metadata, key: key)
        #expect(try context.open(metadata: sealed, key: key) == metadata)
        for other in others { #expect(vaultError { _ = try other.open(metadata: sealed, key: key) } == .damaged) }
        #expect(vaultError { _ = try context.open(value: sealed, key: key) } == .damaged)
    }

    @Test func slots() throws {
        let itemKey = try SecretBytes.random(count: 32)
        let classKey = try X25519.PrivateKey.generate()
        let constraintKey = try P256.PrivateKey.generate()
        let recipients = SlotRecipients(classKey: classKey.publicKey, constraintKeys: [constraintKey.publicKey])
        let shape = Slot.shapes(for: access)[0]
        let slot = try Slot.wrap(itemKey, shape, for: recipients, password: nil, context)
        #expect(try Slot(decoding: slot.encoded) == slot)
        func unwrap(_ slot: Slot, _ context: ItemContext) throws(CryptographyError) -> SecretBytes {
            try slot.unwrap(
                classKey: classKey, agreements: [constraintKey.sharedSecret(with: slot.points[0])], password: nil,
                constraintKeys: [constraintKey.publicKey], context)
        }
        #expect(try unwrap(slot, context) == itemKey)
        for other in others { #expect(throws: CryptographyError.self) { try unwrap(slot, other) } }

        let renumbered = Slot(
            shape: .init(number: 1, keyClass: shape.keyClass, requirements: shape.requirements),
            ephemeral: slot.ephemeral,
            points: slot.points, salt: [], wrappedKey: slot.wrappedKey)
        let reclassed = Slot(
            shape: .init(number: 0, keyClass: .always, requirements: shape.requirements), ephemeral: slot.ephemeral,
            points: slot.points, salt: [], wrappedKey: slot.wrappedKey)
        for other in [renumbered, reclassed] { #expect(throws: CryptographyError.self) { try unwrap(other, context) } }
        let foreign = try P256.PrivateKey.generate()
        #expect(throws: CryptographyError.self) {
            try slot.unwrap(
                classKey: classKey, agreements: [foreign.sharedSecret(with: slot.points[0])], password: nil,
                constraintKeys: [constraintKey.publicKey], context)
        }
        #expect(throws: CryptographyError.self) {
            try slot.unwrap(
                classKey: .generate(), agreements: [constraintKey.sharedSecret(with: slot.points[0])], password: nil,
                constraintKeys: [constraintKey.publicKey], context)
        }
    }

    /// Another vault's private half, another class's, and a half that does not belong to its public half.
    @Test func classKeys() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        #expect(vaultError { _ = try vault.classKeys(unlockRoot: .random(count: 32)) } == .damaged)
        #expect(vaultError { _ = try vault.classKeys(unlockRoot: fixture.keys.unlockRoot) } == nil)
        #expect(throws: VaultError.self) {
            try Keybag(decoding: vault.keybag.encoded, keys: vault.keys, FormatContext(vault: .random()))
        }
        #expect(try Keybag(decoding: vault.keybag.encoded, keys: vault.keys, vault.format) == vault.keybag)
        for place in [1, 2, 3, 34] {
            var wrong = vault.keybag.encoded
            wrong[place] ^= 1
            #expect(throws: VaultError.self) { try Keybag(decoding: wrong, keys: vault.keys, vault.format) }
        }
    }

    @Test func sizeClasses() {
        #expect(SizeClass.value(0) == 64)
        #expect(SizeClass.value(60) == 64)
        #expect(SizeClass.value(61) == 72)
        #expect(SizeClass.value(ItemLimits.value) >= ItemLimits.value + 4)
        for count in stride(from: 0, to: ItemLimits.value, by: 997) {
            let padded = SizeClass.value(count)
            #expect(padded >= count + 4)
            #expect(padded <= max(64, (count + 4) * 112 / 100 + 1))
            #expect(SizeClass.value(padded - 4) == padded)
        }
        #expect(SizeClass.metadata(0) == 256)
        #expect(SizeClass.metadata(252) == 256)
        #expect(SizeClass.metadata(253) == 512)
    }

    @Test func paddingIsChecked() throws {
        let padded = revealed(try Padding.add(secret("abc"), upTo: 64))
        func removed(_ bytes: [UInt8]) -> [UInt8]? {
            do { return revealed(try Padding.remove(secret(bytes), "it", sizeClass: SizeClass.value)) } catch {
                return nil
            }
        }
        #expect(removed(padded) == Array("abc".utf8))
        for place in [0, 7, 63] {
            var wrong = padded
            wrong[place] ^= 1
            #expect(removed(wrong) == nil)
        }
        #expect(removed(padded + [0]) == nil)
        #expect(removed([]) == nil)
        #expect(removed([0, 0, 0]) == nil)
        #expect(removed([0xFF, 0xFF, 0xFF, 0xFF]) == nil)
    }
}
