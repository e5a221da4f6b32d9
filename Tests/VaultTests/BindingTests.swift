import Authorization
import Cryptography
import Item
import Testing

@testable import Vault

/// Sealed data is bound to its item, field, revision, access control and slot, even for an attacker who gets past the
/// tree. Metadata and slots are bound to the vault, and the slots of what needs a person to the name.
struct BindingTests {
    let access: AccessControl
    let context: FieldContext
    /// By what is different.
    let others: [String: FieldContext]

    init() throws {
        let access = try AccessControl(requirements: [.userPresence])
        let (vault, item, revision) = (try VaultID.random(), try ItemID.random(), try RevisionID.random())
        let name = ItemName(service: "s", account: "a")
        func make(
            _ vault: VaultID, _ item: ItemID, _ seal: FieldSeal, _ access: AccessControl, _ name: ItemName,
            _ field: FieldName = .secret
        ) -> FieldContext {
            FieldContext(vault: vault, item: item, field: field, access: access, seal: seal, name: name)
        }
        let seal = FieldSeal.third(revision)
        self.access = access
        context = make(vault, item, seal, access, name)
        let narrow = try AccessControl(isThisDeviceOnly: true, requirements: [.userPresence])
        others = [
            "vault": make(try .random(), item, seal, access, name),
            "item": make(vault, try .random(), seal, access, name),
            "revision": make(vault, item, .third(try .random()), access, name),
            "format": make(vault, item, .first(version: 1), access, name),
            "access": make(vault, item, seal, .whenUnlocked, name), "device": make(vault, item, seal, narrow, name),
            "field": make(vault, item, seal, access, name, "pin"),
            "service": make(vault, item, seal, access, ItemName(service: "t", account: "a")),
            "account": make(vault, item, seal, access, ItemName(service: "s", account: "b")),
            "kind": make(vault, item, seal, access, ItemName(service: "s", account: "a", itemClass: .key)),
        ]
    }

    /// The number that the record of a field has, too.
    @Test func aSealHasTheNumberOfItsFormat() throws {
        #expect(FieldSeal.first(version: 7).format == 1)
        #expect(try FieldSeal.third(.random()).format == 3)
    }

    /// Another vault takes a value as it is, and a renaming leaves it.
    @Test func values() throws {
        let key = try SecretBytes.random(count: 32)
        let sealed = try context.seal(secret("value"), key: key)
        #expect(revealed(try context.open(sealed, key: key)) == Array("value".utf8))
        for (name, other) in others where !["vault", "service", "account", "kind"].contains(name) {
            #expect(vaultError { _ = try other.open(sealed, key: key) } == .damaged, "\(name)")
        }
    }

    /// Somebody who can write slots makes one for a key of their own, under which the same sealed bytes open.
    @Test func commitments() throws {
        let key = try SecretBytes.random(count: 32)
        let commitment = try context.commitment(to: key)
        #expect(commitment.count == 32 && commitment != FieldRecord.noDigest)
        #expect(try context.commitment(to: .random(count: 32)) != commitment)
        for name in ["item", "revision", "access", "device", "field", "format"] {
            #expect(try others[name]?.commitment(to: key) != commitment, "\(name)")
        }
        // Formats 1 and 2 had none.
        #expect(try others["format"]?.commitment(to: key) == FieldRecord.noDigest)
    }

    @Test func metadata() throws {
        let key = try SecretBytes.random(count: 32)
        let metadata = Metadata(service: "s", account: "a", created: 1, modified: 2, valueSet: 3)
        let item = ItemContext(vault: context.vault, item: context.item)
        let sealed = try item.seal(metadata, access: access, key: key)
        #expect(try item.open(metadata: sealed, access: access, key: key) == metadata)
        let others = [
            ItemContext(vault: try .random(), item: context.item),
            ItemContext(vault: context.vault, item: try .random()),
        ]
        for other in others {
            #expect(vaultError { _ = try other.open(metadata: sealed, access: access, key: key) } == .damaged)
        }
        #expect(vaultError { _ = try item.open(metadata: sealed, access: .whenUnlocked, key: key) } == .damaged)
        // A heading is of one revision, and nothing opens as something else.
        let revision = try RevisionID.random()
        let heading = try item.seal(heading: metadata, of: revision, key: key)
        #expect(try item.open(heading: heading, of: revision, key: key) == metadata)
        #expect(vaultError { _ = try item.open(heading: heading, of: .random(), key: key) } == .damaged)
        #expect(vaultError { _ = try item.open(heading: sealed, of: revision, key: key) } == .damaged)
        for other in others {
            #expect(vaultError { _ = try other.open(heading: heading, of: revision, key: key) } == .damaged)
        }
    }

    @Test func stamps() throws {
        let key = try SecretBytes.random(count: 32)
        let item = ItemContext(vault: context.vault, item: context.item)
        var stamps = ItemStamps(base: Stamp(clock: 5, origin: context.vault))
        stamps.note(.name, at: 9, in: context.vault)
        let sealed = try item.seal(stamps, key: key)
        #expect(try item.open(stamps: sealed, key: key) == stamps)
        // The length tells nothing of the parts that were changed.
        let none = try item.seal(ItemStamps(base: Stamp(clock: 5, origin: context.vault)), key: key)
        stamps.note(.attribute([UInt8](repeating: 7, count: 60)), at: 9, in: context.vault)
        #expect(none.count == 64 + AESGCM.overhead && sealed.count == 64 + AESGCM.overhead)
        #expect(try item.seal(stamps, key: key).count == 192 + AESGCM.overhead)
        let other = ItemContext(vault: context.vault, item: try .random())
        #expect(vaultError { _ = try other.open(stamps: sealed, key: key) } == .damaged)
    }

    @Test func slots() throws {
        let itemKey = try SecretBytes.random(count: 32)
        let classKey = try X25519.PrivateKey.generate()
        let constraintKey = try P256.PrivateKey.generate()
        let recipients = SlotRecipients(classKey: classKey.publicKey, constraintKeys: [constraintKey.publicKey])
        let shape = Slot.shapes(for: access)[0]
        let slot = try Slot.wrap(itemKey, shape, for: recipients, password: nil, context)
        #expect(try Slot(decoding: slot.encoded) == slot)
        func unwrap(_ slot: Slot, _ context: FieldContext) throws(CryptographyError) -> SecretBytes {
            try slot.unwrap(
                classKey: classKey, agreements: [constraintKey.sharedSecret(with: slot.points[0])], password: nil,
                constraintKeys: [constraintKey.publicKey], context)
        }
        #expect(try unwrap(slot, context) == itemKey)
        for (name, other) in others {
            #expect(throws: CryptographyError.self, "\(name)") { try unwrap(slot, other) }
        }

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
        // The second bit of the scope means nothing.
        for (place, bit) in [(1, 1), (2, 1), (2, 2), (3, 1), (34, 1)] as [(Int, UInt8)] {
            var wrong = vault.keybag.encoded
            wrong[place] ^= bit
            #expect(throws: VaultError.self) { try Keybag(decoding: wrong, keys: vault.keys, vault.format) }
        }
        // The MAC covers what the scope means. A number without a meaning would pass for 0.
        var scope = vault.keybag.encoded
        #expect(scope[2] == 0)
        scope[2] = 2
        let unknown = scope
        #expect(vaultError { _ = try Keybag(decoding: unknown, keys: vault.keys, vault.format) } == .damaged)
        let longer = vault.keybag.encoded + [0]
        #expect(throws: VaultError.self) { try Keybag(decoding: longer, keys: vault.keys, vault.format) }
    }

    /// Nobody can make this without the unlock root. What is sealed to the public half would open to nobody.
    @Test func halvesOfTwoKeysAreNoKey() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let root = fixture.keys.unlockRoot
        let keybagKey = try VaultKeys.keybag(unlockRoot: root, vault: vault.format.vault)
        func outcome(_ key: X25519.PrivateKey, public publicKey: [UInt8]) throws -> VaultError.Code? {
            var entries = vault.keybag.entries
            let keyClass = entries[0].keyClass
            let sealed = try AESGCM.seal(
                key.rawRepresentation, key: keybagKey,
                associatedData: vault.format.bind("org.coffer.keybag", keyClass.encoded, publicKey))
            let mac = try HMACSHA256.code(
                for: vault.format.bind("org.coffer.class", keyClass.encoded, publicKey), key: vault.keys.classMAC)
            entries[0] = Keybag.Entry(keyClass: keyClass, publicKey: publicKey, sealedPrivateKey: sealed, mac: mac)
            let bytes = entries.reduce(into: [UInt8(entries.count)]) { bytes, entry in
                bytes +=
                    entry.keyClass.encoded + entry.publicKey + LengthPrefixed.encode(entry.sealedPrivateKey) + entry.mac
            }
            let keybag = try Keybag(decoding: bytes, keys: vault.keys, vault.format)
            return vaultError { _ = try keybag.open(unlockRoot: root, keys: vault.keys, vault.format) }
        }
        let (one, other) = (try X25519.PrivateKey.generate(), try X25519.PrivateKey.generate())
        #expect(try outcome(one, public: one.publicKey) == nil)
        #expect(try outcome(other, public: one.publicKey) == .damaged)
    }

    /// Attacker 5 forges no entry, because each has a MAC. But no MAC covers the list of them.
    @Test func aKeybagHasEachKeyOnce() throws {
        let vault = try VaultFixture().open()
        func code(_ entries: [Keybag.Entry]) -> VaultError.Code? {
            let bytes = entries.reduce(into: [UInt8(entries.count)]) { bytes, entry in
                bytes +=
                    entry.keyClass.encoded + entry.publicKey + LengthPrefixed.encode(entry.sealedPrivateKey) + entry.mac
            }
            return vaultError { _ = try Keybag(decoding: bytes, keys: vault.keys, vault.format) }
        }
        let entries = vault.keybag.entries
        #expect(entries.count > 2 && code(entries) == nil)
        for place in entries.indices {
            var fewer = entries
            fewer.remove(at: place)
            #expect(code(fewer) == .damaged, "without \(entries[place].keyClass)")
            #expect(code(entries + [entries[place]]) == .damaged, "twice \(entries[place].keyClass)")
        }
        #expect(code(entries.reversed()) == .damaged)
        #expect(code([]) == .damaged)
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
