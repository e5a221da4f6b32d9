import Authorization
import Cryptography
import Foundation
import Item
import Recovery
import TestSupport
import Testing

@testable import Vault

/// Items with more than one value.
struct FieldTests {
    private let fixture: VaultFixture
    private let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    @discardableResult
    private func set(
        _ field: FieldName, _ value: String, _ access: AccessControl? = nil, password: StretchedPassword? = nil,
        kind: FieldKind? = nil
    ) throws -> ItemSummary {
        var draft = ItemDraft(
            service: "github", account: "octo", value: try secret(value),
            access: access.map { PartialAccess($0) } ?? PartialAccess())
        draft.field = field
        draft.fieldKind = kind
        draft.applicationPassword = password
        return try vault.set(draft).item
    }

    private func item() throws -> ItemSummary { try vault.find(service: "github", account: "octo") }

    private func names() throws -> [String] { try item().metadata.fields.map(\.name.text) }

    private func agreements(_ choice: FieldChoice) throws -> Agreements {
        try fixture.agreements(vault, vault.readPlan(for: item(), choice))
    }

    private func value(_ field: FieldName) throws -> String {
        let keys = try fixture.unlock(vault)
        let value = try vault.value(of: item(), field, classKeys: keys, agreements: agreements(.one(field)))
        return String(decoding: revealed(value), as: UTF8.self)
    }

    private func all() throws -> [FieldValue] {
        try vault.values(of: item(), classKeys: fixture.unlock(vault), agreements: agreements(.all))
    }

    /// A former value, with every consent.
    private func former(_ version: UInt64) throws -> (item: ItemSummary, value: SecretBytes) {
        let keys = try fixture.unlock(vault)
        return try vault.look(service: "github", account: "octo", version: version) { view in
            (view.item, try view.values(classKeys: keys)[0].value)
        }
    }

    @Test func eachHasAValueOfItsOwn() throws {
        try set(.secret, "password")
        try set(.otp, "seed")
        try set("pin", "1234")
        #expect(try names() == ["secret", "otp", "pin"])
        #expect(try item().metadata.fields.map(\.kind) == [.secret, .otp, .secret])
        #expect(try value(.secret) == "password")
        #expect(try value(.otp) == "seed")
        #expect(try value("pin") == "1234")
        let before = try item()
        let bytes = try vault.read { (snapshot) throws(VaultError) in try snapshot.values(of: snapshot.item(before.id))
        }
        try set("pin", "5678")
        #expect(try value("pin") == "5678")
        #expect(try value(.secret) == "password")
        #expect(try item().version == before.version + 1)
        #expect(try item().metadata.field(.otp) == before.metadata.field(.otp))
        let after = try vault.read { (snapshot) throws(VaultError) in try snapshot.values(of: snapshot.item(before.id))
        }
        // The others were not sealed anew.
        #expect(
            after[0].field == bytes[0].field && after[1].field == bytes[1].field && after[2].field != bytes[2].field)
        _ = try vault.verify()
        try vault.close()
        let again = try fixture.open()
        #expect(
            try again.find(service: "github", account: "octo").metadata.fields.map(\.name) == [.secret, .otp, "pin"])
        _ = try again.verify()
    }

    @Test func anItemNeedsNoSecret() throws {
        try set(.notes, "text")
        #expect(try names() == ["notes"])
        #expect(try item().metadata.fields[0].kind == .text)
        #expect(vaultError { _ = try vault.readPlan(for: item()) } == .noField(fields: ["notes"]))
        #expect(try value(.notes) == "text")
        try set(.secret, "later")
        #expect(try names() == ["secret", "notes"])
        #expect(try value(.secret) == "later")
        #expect(try value(.notes) == "text")
        _ = try vault.verify()
    }

    @Test func aFieldIsRemovedAndComesBack() throws {
        try set(.secret, "password")
        try set("pin", "1234")
        let version = try item().version
        try vault.edit(item(), removing: ["pin"])
        #expect(try names() == ["secret"])
        #expect(try item().version == version + 1)
        #expect(vaultError { _ = try self.value("pin") } == .noField(fields: ["secret"]))
        #expect(vaultError { try vault.edit(item(), removing: ["pin"]) } == .noField(fields: ["secret"]))
        #expect(vaultError { try vault.edit(item(), removing: [.secret]) } == .invalidArgument)
        let versions = try vault.history(service: "github", account: "octo").versions
        #expect(versions.map(\.field) == ["pin"] && versions.map(\.version) == [version])
        let (was, value) = try former(version)
        #expect(revealed(value) == Array("1234".utf8))
        try vault.restore(was, value: value)
        #expect(try names() == ["secret", "pin"])
        #expect(try self.value("pin") == "1234")
        #expect(try vault.history(service: "github", account: "octo").versions.isEmpty)
        _ = try vault.verify()
    }

    /// A seed is one again, and no file. What the value in between was comes back with that one.
    @Test func aFormerValueComesBackWithItsKind() throws {
        func kind() throws -> FieldKind? { try item().metadata.field(.otp)?.kind }
        try set(.secret, "password")
        let seed = try set(.otp, "seed").version
        let file = try set(.otp, "bytes", kind: .file).version
        #expect(try kind() == .file)
        let (was, value) = try former(seed)
        #expect(try vault.restore(was, value: value).metadata.field(.otp)?.kind == .otp)
        #expect(try kind() == .otp && self.value(.otp) == "seed")
        #expect(try item().metadata.field(.secret)?.kind == .secret)
        let (then, bytes) = try former(file)
        try vault.restore(then, value: bytes)
        #expect(try kind() == .file && self.value(.otp) == "bytes")
        _ = try vault.verify()
    }

    /// So many former values of each field, and not of all together.
    @Test func eachHasAHistoryOfItsOwn() throws {
        try set(.otp, "seed 1")
        try set(.otp, "seed 2")
        for number in 1...6 { try set(.secret, "password \(number)") }
        let versions = try vault.history(service: "github", account: "octo").versions
        #expect(versions.map(\.field) == [.secret, .secret, .secret, .otp])
        let oldest = try #require(versions.last)
        let (was, value) = try former(oldest.version)
        #expect(revealed(value) == Array("seed 1".utf8))
        // A version is that of one field.
        #expect(
            vaultError {
                _ = try vault.look(service: "github", account: "octo", .one(.secret), version: oldest.version) {
                    $0.isFormer
                }
            } == .notFound)
        try vault.restore(was, value: value)
        #expect(try self.value(.otp) == "seed 1")
        #expect(try self.value(.secret) == "password 6")
        // A version that a field has now is its present value.
        let present = try item().version
        #expect(
            try vault.look(service: "github", account: "octo", version: present) { !$0.isFormer && $0.fields == [.otp] }
        )
        _ = try vault.verify()
    }

    /// Attacker 4: another access control takes reading all fields, which asks the person.
    @Test func oneIsNotSetUnderAnotherAccessControl() throws {
        let gated = try AccessControl(requirements: [.userPresence])
        try set(.secret, "password", gated)
        try set(.otp, "seed")
        #expect(try item().access == gated)
        for field in [FieldName.otp, .secret] {
            let error = #expect(throws: VaultError.self) { try set(field, "another", .whenUnlocked) }
            #expect(error?.code == .invalidArgument && error?.advice.contains("coffer edit") == true)
        }
        #expect(try value(.otp) == "seed")
        #expect(try value(.secret) == "password")
        // An item with one field is replaced under any access control, as ever.
        try vault.edit(item(), removing: [.otp])
        try set(.secret, "password", .whenUnlocked)
        #expect(try item().access == .whenUnlocked)
    }

    /// What was agreed on for one field opens no other.
    @Test func eachTakesSignaturesOfItsOwn() throws {
        try set(.secret, "password", AccessControl(requirements: [.userPresence]))
        try set("pin", "1234")
        let keys = try fixture.unlock(vault)
        let forPin = try agreements(.one("pin"))
        #expect(forPin.count == 1)
        #expect(revealed(try vault.value(of: item(), "pin", classKeys: keys, agreements: forPin)) == Array("1234".utf8))
        #expect(
            vaultError { _ = try vault.value(of: item(), classKeys: keys, agreements: forPin) } == .invalidArgument)
        #expect(try vault.readPlan(for: item(), .all).alternatives[0].agreements.count == 2)
        #expect(try all().map(\.name) == [.secret, "pin"])
    }

    @Test func aChangeOfAccessNameOrKeySealsAll() throws {
        try set(.secret, "password")
        try set(.otp, "seed")
        let gated = try AccessControl(requirements: [.userPresence])
        try vault.reseal(item(), all(), access: gated)
        #expect(try item().access == gated)
        #expect(try value(.secret) == "password")
        #expect(try value(.otp) == "seed")
        #expect(
            vaultError { try vault.reseal(item(), Array(all().prefix(1)), access: .whenUnlocked) } == .invalidArgument)
        // A prompt names a field by the item's name.
        try vault.rename(item(), service: "gitlab", account: "octo", values: all())
        try vault.rename(
            vault.find(service: "gitlab", account: "octo"), service: "github", account: "octo",
            values: [FieldValue(.secret, secret("password")), FieldValue(.otp, secret("seed"))])
        #expect(try value(.secret) == "password")
        #expect(try value(.otp) == "seed")
        try vault.rotate(item(), all())
        #expect(try value(.secret) == "password")
        #expect(try value(.otp) == "seed")
        #expect(try vault.history(service: "github", account: "octo").versions.isEmpty)
        _ = try vault.verify()
    }

    /// An item has one application password, and nobody can give a field another one.
    @Test func oneApplicationPasswordServesAll() throws {
        let guarded = try AccessControl(requirements: [.applicationPassword])
        try set(.secret, "password", guarded, password: StretchedPassword(secret("open")))
        let check = try #require(
            try vault.passwordCheck(service: "github", account: "octo", kind: .genericPassword, beside: .otp))
        #expect(check.field == .secret)
        #expect(
            vaultError { try set(.otp, "seed", password: StretchedPassword(secret("open"))) } == .invalidArgument)
        let stretched = try StretchedPassword(secret("open"), salt: check.salt)
        try set(.otp, "seed", password: stretched)
        try refuseTwoSalts()
        let keys = try fixture.unlock(vault)
        let values = try vault.values(of: item(), classKeys: keys, applicationPassword: stretched)
        #expect(values.map { revealed($0.value) } == [Array("password".utf8), Array("seed".utf8)])
        #expect(
            try vault.passwordCheck(service: "github", account: "other", kind: .genericPassword, beside: .otp) == nil)
        _ = try vault.verify()
    }

    /// Coffer's own mistake: two fields with two application passwords. One question would not open both.
    private func refuseTwoSalts() throws {
        let id = try item().id
        let values = try vault.read { (snapshot) throws(VaultError) in try snapshot.values(of: snapshot.item(id)) }
        #expect(try vault.plan(of: values).alternatives.map(\.needsApplicationPassword) == [true])
        let (last, field) = (values[1], values[1].field)
        let slots = field.slots.map { slot in
            Slot(
                shape: slot.shape, ephemeral: slot.ephemeral, points: slot.points, salt: slot.salt.map { $0 ^ 1 },
                wrappedKey: slot.wrappedKey)
        }
        let changed = FieldRecord(
            version: field.version, revision: field.revision, valueKey: field.valueKey, format: field.format,
            item: field.item, access: field.access, valueDigest: field.valueDigest, commitment: field.commitment,
            slots: slots)
        let other = ItemValue(item: last.item, fieldName: last.fieldName, field: changed, name: last.name)
        #expect(vaultError { _ = try vault.plan(of: [values[0], other]) } == .damaged)
    }

    /// Coffer's own mistake: fields of one item that are read in different ways. One prompt would not open both.
    @Test func fieldsThatAreReadInOtherWaysAreDamage() throws {
        func stored(_ account: String, _ access: AccessControl) throws -> ItemValue {
            let id = try vault.set(.make("s", account, "v", access)).item.id
            return try vault.read { (snapshot) throws(VaultError) in try snapshot.value(of: snapshot.item(id)) }
        }
        let plain = try stored("plain", .whenUnlocked)
        let gated = try stored("gated", AccessControl(requirements: [.userPresence]))
        let either = try stored(
            "either", AccessControl(requirements: [.userPresence, .devicePasscode], anyIsEnough: true))
        for (number, values) in [[plain, gated], [gated, plain], [either, gated]].enumerated() {
            #expect(vaultError { _ = try vault.plan(of: values) } == .damaged, "\(number)")
        }
        _ = try vault.plan(of: [gated])
    }

    @Test func theyAreLimited() throws {
        for number in 1...16 { try set(FieldName("field \(number)") ?? .secret, "value") }
        #expect(vaultError { try set("one more", "value") } == .limitExceeded)
        try set("field 1", "another value")
        #expect(try item().metadata.fields.count == 16)
        _ = try vault.verify()
        for name in ["", String(repeating: "x", count: 129), "a\nb", "\u{7F}"] { #expect(FieldName(name) == nil) }
        #expect(FieldName(String(repeating: "x", count: 128)) != nil)
    }

    /// One prompt opens all fields of an item, and it gives 32 signatures at most.
    @Test func theySignaturesAreLimited() throws {
        let gated = try AccessControl(requirements: [.userPresence, .devicePasscode, .biometryAny])
        for number in 1...10 { try set(FieldName("field \(number)") ?? .secret, "value", gated) }
        #expect(vaultError { try set("one more", "value") } == .limitExceeded)
        #expect(try vault.readPlan(for: item(), .all).alternatives[0].agreements.count == 30)
    }

    /// What takes as many signatures as there may be is stored, and can be read at once.
    @Test func asManySignaturesAsThereMayBe() throws {
        let gated = try AccessControl(requirements: [.userPresence, .devicePasscode])
        for number in 1...ItemLimits.signatures / 2 { try set(FieldName("field \(number)") ?? .secret, "value", gated) }
        #expect(try vault.readPlan(for: item(), .all).alternatives[0].agreements.count == ItemLimits.signatures)
    }

    /// A text that fills its size class to the last byte has no padding. One of a byte more is in the next class.
    @Test func noPaddingIsGoodPadding() throws {
        for count in [251, 252, 253] {
            let content = try SecretBytes(copying: [UInt8](repeating: 0x61, count: count))
            let padded = try Padding.add(content, upTo: SizeClass.metadata(count))
            #expect(padded.count == (count <= 252 ? 256 : 512))
            #expect(try Padding.remove(padded, "a text", sizeClass: SizeClass.metadata) == content)
        }
    }

    @Test func aRevisionHasSixteenBytes() throws {
        try set(.secret, "password")
        #expect(try item().revision.bytes.count == 16 && ItemRevision.count == 16)
    }

    /// What has expired is given to nobody, and storing another value does not bring it back.
    @Test func anotherValueOfAnExpiredItemIsItsOnlyField() throws {
        try set(.secret, "password")
        try set(.otp, "seed")
        try vault.edit(item(), changes: MetadataChanges(expires: fixture.clock.withLock { $0 } + 1000))
        fixture.advance(milliseconds: 2000)
        try set("pin", "1234")
        #expect(try names() == ["pin"])
        #expect(try vault.history(service: "github", account: "octo").versions.isEmpty)
        #expect(try vault.verify().formerValues == 0)
    }

    /// Attacker 5 writes the file: the fields must be those that the metadata names.
    @Test func aFieldThatIsMissingIsDamage() throws {
        try set(.secret, "password")
        try set(.otp, "seed")
        let id = try item().id
        let fields = try vault.read { (snapshot) throws(VaultError) in try snapshot.fields(of: snapshot.item(id)) }
        let cut = ItemFields(sealedStamps: fields.sealedStamps, fields: Array(fields.fields.prefix(1)))
        try vault.write { (change) throws(VaultError) in
            let old = try change.item(id)
            _ = try change.put(
                cut, old.summary.metadata, old.record.access, version: old.record.version, of: id, replacing: old)
        }
        #expect(vaultError { _ = try value(.secret) } == .damaged)
        #expect(vaultError { _ = try vault.verify() } == .damaged)
    }

    @Test func impossibleFieldsAreDamage() throws {
        func metadata(_ members: String) -> [UInt8] {
            Array(#"{"account":"a","attributes":{},"created":1,\#(members)"modified":2,"service":"s"}"#.utf8)
        }
        let otp = #"{"kind":"otp","name":"otp","set":3}"#
        let good = try Metadata(text: metadata(#""fields":[\#(otp)],"#), from: 0)
        #expect(good.fields == [ItemField(.otp, .otp, set: 3)] && good.valueSet == 3)
        for members in [
            "", #""fields":[],"#, #""fields":[\#(otp),\#(otp)],"#,
            #""fields":[{"kind":"secret","name":"secret","set":3}],"valueSet":1,"#,
            #""fields":[{"kind":"odd","name":"otp","set":3}],"#, #""fields":[{"kind":"otp","name":"","set":3}],"#,
            #""biometrySet":"00","fields":[\#(otp)],"#,
            #""fields":[\#((1...17).map { #"{"kind":"otp","name":"\#($0)","set":3}"# }.joined(separator: ","))],"#,
        ] {
            #expect(vaultError { _ = try Metadata(text: metadata(members), from: 0) } == .damaged, "\(members)")
        }
    }

    /// The stamps name the field that was changed, and no field that is gone.
    @Test func stampsNameFields() throws {
        try set(.secret, "password")
        try set(.otp, "seed")
        let id = try item().id
        func stamps() throws -> ItemStamps {
            try vault.read { (snapshot) throws(VaultError) in
                try snapshot.stamps(of: id, in: snapshot.fields(of: snapshot.item(id)))
            }
        }
        #expect(try stamps().own.keys.contains(.field(.otp)))
        #expect(try !stamps().own.keys.contains(.field(.secret)))
        try vault.edit(item(), removing: [.otp])
        #expect(try stamps().own.isEmpty)
    }

    @Test func aRecoveryCodeRestoresAll() throws {
        try set(.secret, "password", AccessControl(requirements: [.userPresence]))
        try set(.otp, "seed")
        let key = try fixture.sealer.open(.recovery, vault.objects, record: fixture.record) {
            (request) throws(SigningRefusal) in try fixture.sign(request)
        }
        let code = try RecoveryCode.random()
        try vault.confirm(vault.wrap(key, under: code))
        try vault.close()
        let recovered = try RecoverableVault(copying: fixture.path, to: fixture.folder.path, code: code)
        let found = try #require(recovered.items.first)
        #expect(found.summary.metadata.fields.map(\.name) == [.secret, .otp])
        #expect(revealed(try recovered.value(of: found)) == Array("password".utf8))
        #expect(revealed(try recovered.value(of: found, .otp)) == Array("seed".utf8))
    }

    @Test func aSuccessorTakesAll() throws {
        try set(.secret, "password")
        try set(.otp, "seed")
        let successor = try fixture.successor(of: vault)
        try successor.takeUp([.plain(item(), all())])
        #expect(try vault.missing(in: successor).isEmpty)
        // A field that was set since must be carried over, too.
        try set("pin", "1234")
        #expect(try vault.missing(in: successor).map(\.id) == [item().id])
        #expect(try !successor.followMetadata(of: item()))
        try successor.takeUp([.plain(item(), all())])
        #expect(try vault.missing(in: successor).isEmpty)
        try successor.complete(from: vault, recording: AccessRecord(.rotate))
        let carried = try successor.vault.find(service: "github", account: "octo")
        #expect(carried.metadata == (try item().metadata))
        #expect(carried.version == (try item().version))
    }
}
