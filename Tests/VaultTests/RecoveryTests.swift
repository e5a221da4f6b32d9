import Authorization
import Cryptography
import Foundation
import Item
import Recovery
import TestSupport
import Testing

@testable import Vault

@Suite struct RecoveryTests {
    private let fixture: VaultFixture
    private let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    private func recoveryKey(_ vault: OpenVault) throws -> SecretBytes {
        try fixture.sealer.open(.recovery, vault.objects, record: fixture.record) { (request) throws(SigningRefusal) in
            try fixture.sign(request)
        }
    }

    @discardableResult
    private func makeCode() throws -> RecoveryCode {
        let code = try RecoveryCode.random()
        try vault.confirm(try vault.wrap(try recoveryKey(vault), under: code))
        return code
    }

    /// A copy of the present file, in another place.
    private func backup(_ folder: TemporaryFolder) throws -> String {
        let copy = folder.path + "/old-\(UUID().uuidString.prefix(8)).vault"
        try Data(contentsOf: URL(fileURLWithPath: fixture.path)).write(to: URL(fileURLWithPath: copy))
        return copy
    }

    private func recover(_ path: String, _ code: RecoveryCode, _ folder: TemporaryFolder) throws -> RecoverableVault {
        try RecoverableVault(copying: path, to: folder.path, code: code)
    }

    @Test func everythingPortableComesBackWithFileAndCodeAlone() throws {
        let gated = try AccessControl(requirements: [.userPresence, .devicePasscode], anyIsEnough: true)
        _ = try vault.set(.make("mail", "me", "one"))
        _ = try vault.set(.make("bank", "me", "two", gated))
        _ = try vault.set(.make("boot", "disk", "three", AccessControl(.afterFirstUnlock)))
        _ = try vault.set(
            ItemDraft(
                service: "wifi", account: "home", value: try secret("four"), label: "Home", comment: "upstairs",
                attributes: ["kind": "wpa"], expires: 1_900_000_000_000))
        _ = try vault.set(.make("tpm", "only", "five", AccessControl(.whenUnlocked, isThisDeviceOnly: true)))
        _ = try vault.set(.make("always", "here", "six", AccessControl(.always)))
        let code = try makeCode()
        // Written after the code was made. It needs no new code.
        _ = try vault.set(.make("later", "me", "seven", gated))
        let folder = try TemporaryFolder()
        let path = try backup(folder)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let old = try recover(path, code, folder)
        #expect(old.owner == fixture.record.owner && old.vault == fixture.record.vault)
        #expect(old.made == (try vault.recoveryMade))
        let names = old.items.map { "\($0.summary.metadata.service)/\($0.summary.metadata.account)" }
        #expect(names == ["always/here", "bank/me", "boot/disk", "later/me", "mail/me", "tpm/only", "wifi/home"])
        var values: [String: String] = [:]
        for item in old.items {
            if item.isPortable {
                values[item.summary.metadata.service] = String(
                    decoding: revealed(try old.value(of: item)), as: UTF8.self)
            } else {
                #expect(vaultError { _ = try old.value(of: item) } == .locked)
            }
        }
        #expect(values == ["mail": "one", "bank": "two", "boot": "three", "wifi": "four", "later": "seven"])
        #expect(old.items.filter { !$0.isPortable }.map(\.summary.metadata.service) == ["always", "tpm"])
        try vault.read { (snapshot) throws(VaultError) in
            for item in try snapshot.allItems() {
                let hasSlot = try snapshot.value(of: item).field.slots.contains { $0.shape.keyClass == .recovery }
                #expect(hasSlot == !item.summary.access.isThisDeviceOnly)
            }
        }
        #expect(old.items[1].summary.access == gated)
        let wifi = old.items[6].summary.metadata
        #expect(wifi.label == "Home" && wifi.comment == "upstairs" && wifi.attributes == ["kind": "wpa"])
        #expect(wifi.expires == 1_900_000_000_000)
        // Only read.
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func theCopyIsGoneAfterwards() throws {
        let code = try makeCode()
        let (folder, scratch) = (try TemporaryFolder(), try TemporaryFolder())
        do {
            let old = try RecoverableVault(copying: try backup(folder), to: scratch.path, code: code)
            #expect(old.items.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).count == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    /// Attacker 1 has the file and no code.
    @Test func anotherCodeOpensNothingAndIsNotTakenForDamage() throws {
        _ = try vault.set(.make("mail", "me", "one"))
        try makeCode()
        let folder = try TemporaryFolder()
        let path = try backup(folder)
        for _ in 0..<5 {
            let other = try RecoveryCode.random()
            #expect(vaultError { _ = try recover(path, other, folder) } == .authenticationFailed)
        }
    }

    @Test func anEarlierCodeOpensOnlyEarlierCopies() throws {
        _ = try vault.set(.make("mail", "me", "one"))
        let first = try makeCode()
        let folder = try TemporaryFolder()
        let early = try backup(folder)
        let epoch = try vault.verify().epoch
        let second = try makeCode()
        #expect(try vault.verify().epoch > epoch, "an older code must not come back with a rolled back file")
        let late = try backup(folder)
        #expect(vaultError { _ = try recover(late, first, folder) } == .authenticationFailed)
        #expect(vaultError { _ = try recover(early, second, folder) } == .authenticationFailed)
        #expect(try recover(early, first, folder).items.count == 1)
        #expect(try recover(late, second, folder).items.count == 1)
    }

    @Test func anUnconfirmedCodeChangesNothing() throws {
        _ = try vault.set(.make("mail", "me", "one"))
        let first = try makeCode()
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let second = try RecoveryCode.random()
        _ = try vault.wrap(try recoveryKey(vault), under: second)
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == before)
        let folder = try TemporaryFolder()
        let path = try backup(folder)
        #expect(vaultError { _ = try recover(path, second, folder) } == .authenticationFailed)
        #expect(try recover(path, first, folder).items.count == 1)
    }

    @Test func whereNoCodeWasMadeThatIsSaid() throws {
        #expect(try vault.recoveryMade == nil)
        let folder = try TemporaryFolder()
        let path = try backup(folder)
        #expect(vaultError { _ = try recover(path, try RecoveryCode.random(), folder) } == .notFound)
        #expect(vaultError { _ = try recover(path + ".none", try RecoveryCode.random(), folder) } == .notFound)
        try Data("no vault".utf8).write(to: URL(fileURLWithPath: path))
        #expect(vaultError { _ = try recover(path, try RecoveryCode.random(), folder) } == .damaged)
    }

    @Test func aForeignRecoveryKeyIsNotWrapped() throws {
        let other = try X25519.PrivateKey.generate()
        #expect(
            vaultError { _ = try vault.wrap(other.rawRepresentation, under: try RecoveryCode.random()) } == .damaged)
    }

    /// A damaged file is not called a wrong code. The person may have the right code, and another copy may be whole.
    @Test(arguments: ["recovery", "header", "keybag", "item", "value"])
    func damageIsCalledDamageAndNotAWrongCode(table: String) throws {
        _ = try vault.set(.make("mail", "me", "one"))
        let code = try makeCode()
        let folder = try TemporaryFolder()
        let column = ["item": "record", "value": "sealed"][table] ?? "content"
        let size = try fixture.size(of: column, in: table)
        // Every sixteenth byte, and the last.
        for place in stride(from: 0, to: size, by: 16) + [size - 1] {
            let path = try backup(folder)
            try fixture.flip(place, of: column, in: table, path: path)
            let found = vaultError {
                let old = try recover(path, code, folder)
                for item in old.items { _ = try old.value(of: item) }
            }
            #expect(found == .damaged || found == .newerFormat, "\(table) \(place)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func aRowOfAnotherVaultOrOneTakenAwayIsDamage() throws {
        _ = try vault.set(.make("mail", "me", "one"))
        let code = try makeCode()
        let folder = try TemporaryFolder()
        let path = try backup(folder)
        try fixture.change(path) { try $0.once("DELETE FROM recovery") }
        #expect(vaultError { _ = try recover(path, code, folder) } == .damaged)
        let other = try RecoveryTests()
        try other.makeCode()
        let foreign = try other.backup(folder)
        try fixture.change(foreign) { database in
            let row = try database.bytes("SELECT content FROM recovery")
            try fixture.change(path) {
                try $0.run("INSERT INTO recovery VALUES (1, ?)", [.blob(row)])
            }
        }
        #expect(vaultError { _ = try recover(path, code, folder) } == .damaged)
    }

    /// Attacker 5 cannot put a forged or older wrap into an open or closed vault.
    @Test func theOpenVaultBelievesNoRowThatTheTreeDoesNotVouchFor() throws {
        try makeCode()
        let folder = try TemporaryFolder()
        let path = try backup(folder)
        var old: [UInt8] = []
        try fixture.change(path) { old = try $0.bytes("SELECT content FROM recovery") }
        try makeCode()
        let second = try backup(folder)
        try fixture.change(second) {
            try $0.run("UPDATE recovery SET content = ?", [.blob(old)])
        }
        let moved = try TemporaryFolder()
        for name in ["software-sealer.key"] {
            try FileManager.default.copyItem(atPath: "\(fixture.folder.path)/\(name)", toPath: "\(moved.path)/\(name)")
        }
        try FileManager.default.copyItem(
            atPath: second, toPath: VaultFile.path(of: fixture.record.owner, in: moved.path))
        let opened = try fixture.open(in: moved.path)
        #expect(vaultError { _ = try opened.recoveryMade } == .damaged)
        #expect(vaultError { _ = try opened.verify() } == .damaged)
        #expect(try vault.verify().items == 0)
    }

    @Test func nothingOfTheCodeIsInTheFiles() throws {
        _ = try vault.set(.make("mail", "me", "one"))
        let code = try makeCode()
        let text = String(decoding: revealed(try code.text), as: UTF8.self)
        let forms =
            [text, text.replacing("-", with: ""), text.lowercased()] + text.split(separator: "-").map(String.init)
        for (name, bytes) in try fixture.files() {
            for form in forms { #expect(bytes.range(of: Data(form.utf8)) == nil, "\(name)") }
        }
    }

    /// The code does not open the device root. Items for this device only stay closed in every way.
    @Test func theWrapHasNoKeyOfWhatIsForThisDeviceOnly() throws {
        let code = try makeCode()
        var row: [UInt8] = []
        let folder = try TemporaryFolder()
        try fixture.change(try backup(folder)) { row = try $0.bytes("SELECT content FROM recovery") }
        let (key, keys) = try RecoveryWrap(decoding: row).open(code)
        #expect(key.publicKey == fixture.keys.recoveryPublicKey)
        let real = try VaultKeys(deviceRoot: fixture.keys.deviceRoot, vault: fixture.record.vault)
        #expect(keys.integrity == real.integrity && keys.metadata == real.metadata)
        #expect(keys.index == real.index && keys.classMAC == real.classMAC)
        #expect(keys.always.publicKey != real.always.publicKey && keys.log != real.log)
        #expect(vaultError { _ = try RecoveryWrap(decoding: row + [0]) } == .damaged)
    }

    /// A person must not keep a code that opens nothing.
    @Test func aCodeThatIsNotStoredIsNotConfirmed() throws {
        let recovery = try vault.wrap(recoveryKey(vault), under: RecoveryCode.random())
        try withoutWriting(fixture.path) { #expect(vaultError { try vault.confirm(recovery) } == .storage) }
        try vault.confirm(recovery)
        // Somebody has changed the tree since (attacker 5).
        try vault.database.write { (rows) throws(VaultError) in try rows.put(TreeNode.root, [1]) }
        #expect(vaultError { try vault.confirm(recovery) } == .damaged)
    }

    /// The keys are renewed between the making of a code and its confirmation. A person must not keep a code that opens
    /// nothing, and the vault must stay whole.
    @Test func aCodeForTheFormerKeysIsNotConfirmed() throws {
        let code = try vault.wrap(recoveryKey(vault), under: RecoveryCode.random())
        let other = try RecoveryTests()
        let renewed = other.vault
        let error = #expect(throws: VaultError.self) { try renewed.confirm(code) }
        #expect(error?.code == .keysRenewed && error?.advice.contains("coffer recovery new") == true)
        #expect(try renewed.recoveryMade == nil)
        #expect(try renewed.verify().items == 0)
        // Its folder goes with it.
        withExtendedLifetime(other) {}
    }

    /// Earlier versions of Coffer have confirmed such codes.
    @Test func aRowForTheFormerKeysIsNoCodeAndNoDamage() throws {
        let code = try vault.wrap(recoveryKey(vault), under: RecoveryCode.random())
        let other = try RecoveryTests()
        let renewed = other.vault
        try renewed.write { (change) throws(VaultError) in try change.put(code.wrap) }
        #expect(try renewed.recoveryMade == nil)
        #expect(try renewed.verify().items == 0)
        // A code for its own keys takes the place of that row.
        try other.makeCode()
        #expect(try renewed.recoveryMade != nil)
        #expect(try renewed.verify().items == 0)
        withExtendedLifetime(other) {}
    }

    @Test func aCopyOfANewerFormatIsNamedAsThat() throws {
        let code = try makeCode()
        let folder = try TemporaryFolder()
        let path = try backup(folder)
        try fixture.change(path) { database in
            var header = try database.bytes("SELECT content FROM header")
            header[9] = UInt8(Header.newestFormat) + 1
            try database.run("UPDATE header SET content = ?", [.blob(header)])
        }
        #expect(vaultError { _ = try recover(path, code, folder) } == .newerFormat)
    }

    /// Coffer itself would have noted another key than the one that it sealed the value under.
    @Test func aValueUnderAnotherKeyThanItsOwnIsDamage() throws {
        let item = try vault.set(.make("mail", "me", "one")).item
        let code = try makeCode()
        let folder = try TemporaryFolder()
        let path = try backup(folder)
        let keys = vault.keys
        try fixture.change(path) { database in
            let fields = try ItemFields(decoding: database.bytes("SELECT content FROM field"))
            let field = fields.fields[0][0]
            let other = FieldRecord(
                version: field.version, revision: field.revision, valueKey: field.valueKey, format: field.format,
                item: field.item, access: field.access, valueDigest: field.valueDigest,
                commitment: [UInt8](repeating: 9, count: 32), slots: field.slots)
            let content = ItemFields(sealedStamps: fields.sealedStamps, fields: [[other]]).encoded
            let old = try ItemRecord(decoding: database.bytes("SELECT record FROM item"))
            let record = ItemRecord(
                version: old.version, access: old.access, sealedMetadata: old.sealedMetadata,
                fieldsDigest: try SHA256.digest(content))
            try database.run("UPDATE field SET content = ?", [.blob(content)])
            try database.plant(record: record.encoded, of: item.id)
            try database.vouch(keys)
        }
        let old = try recover(path, code, folder)
        #expect(vaultError { _ = try old.value(of: old.items[0]) } == .damaged)
    }
}
