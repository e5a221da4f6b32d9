import Authorization
import Cryptography
import Foundation
import Item
import TestSupport
import Testing

@testable import Vault

/// A successor that cannot be written, or that was changed. The former vault is given up only for one that is whole.
struct SuccessorVaultTests {
    private let fixture: VaultFixture
    private let vault: OpenVault
    private let item: ItemSummary

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
        var draft = try ItemDraft.make("s", "a", "value")
        draft.attributes = ["k": "v"]
        item = try vault.set(draft).item
    }

    private var path: String { VaultFile.successorPath(of: fixture.record.owner, in: fixture.folder.path) }

    private func renewed(_ item: ItemSummary) throws -> RenewedItem {
        .plain(item, [FieldValue(.secret, try secret("value"))])
    }

    private func completion(of successor: SuccessorVault) -> VaultError.Code? {
        vaultError { try successor.complete(from: vault, recording: AccessRecord(.rotate)) }
    }

    @Test func aDiskThatTakesNothingIsAnError() throws {
        let successor = try fixture.successor(of: vault)
        let renewed = try renewed(item)
        try withoutWriting(path) { #expect(vaultError { try successor.takeUp([renewed]) } == .storage) }
        try successor.takeUp([renewed])
        let edited = try vault.edit(item, changes: MetadataChanges(label: "l"))
        try withoutWriting(path) {
            #expect(vaultError { _ = try successor.followMetadata(of: edited) } == .storage)
        }
        #expect(try successor.followMetadata(of: edited))
        // The record of the renewal is the last thing that is written.
        try withoutWriting(path) { #expect(completion(of: successor) == .storage) }
        #expect(completion(of: successor) == nil)
    }

    /// The index of the successor lacks an attribute. No change of the item vouches for the rest.
    @Test func anIndexThatWasChangedIsDamage() throws {
        let successor = try fixture.successor(of: vault)
        try successor.takeUp([renewed(item)])
        let term = try successor.vault.keys.term(attribute: "k", value: "v")
        try successor.vault.database.write { (rows) throws(VaultError) in try rows.put(posting: term, items: []) }
        let edited = try vault.edit(item, changes: MetadataChanges(attributes: ["k": "other"]))
        let other = try renewed(edited)
        #expect(vaultError { try successor.takeUp([other]) } == .damaged)
        #expect(vaultError { _ = try successor.followMetadata(of: edited) } == .damaged)
    }

    /// What was recorded before goes along, or the former log stays the vault's.
    @Test func withoutItsLogNothingIsComplete() throws {
        let successor = try fixture.successor(of: vault)
        try successor.takeUp([renewed(item)])
        let log = VaultFile.logPath(of: fixture.record.owner, in: fixture.folder.path) + VaultFile.successorSuffix
        try FileManager.default.createDirectory(atPath: log + "/something", withIntermediateDirectories: true)
        #expect(completion(of: successor) == .storage)
        try FileManager.default.removeItem(atPath: log)
        #expect(completion(of: successor) == nil)
    }

    @Test func aSuccessorThatIsNotWholeIsNotComplete() throws {
        let successor = try fixture.successor(of: vault)
        try successor.takeUp([renewed(item)])
        try successor.vault.database.write { (rows) throws(VaultError) in try rows.put(transition: [1]) }
        #expect(completion(of: successor) == .damaged)
    }

    /// A TPM that counts nothing for a while. What is filled in is protected by a step before it and by one after it.
    @Test func aFillingStandsBetweenTwoStepsOfTheCounter() throws {
        let tpm = try SWTPM()
        /// How often the TPM still counts.
        let left = Ration()
        let tap = try WireTap.sparing(tpm) { !left.take() }
        let fixture = try EpochTests.Fixture(tpm: tpm, tap: tap)
        let (former, sealer) = (fixture.record, fixture.sealer)
        let id = try VaultID.random()
        let keys = try sealer.makeKeys(vault: id, owner: former.owner, authenticatorKey: former.authenticatorKey)
        let record = RegistryRecord(
            vault: id, owner: former.owner, ownerName: former.ownerName, created: former.created, sealer: .tpm,
            authenticatorKey: former.authenticatorKey, storageKey: keys.storageKey, counter: keys.counter,
            objects: keys.names, generation: keys.generation)
        try fixture.vault.begin(Succession(record: record, former: former), keys: keys)
        let successor = try SuccessorVault(in: fixture.folder.path, record: record, sealer: sealer)
        // Nothing has begun.
        #expect(vaultError { try successor.endFilling(with: sealer) } == .uncounted)
        // The step is in the log of the file. It is counted before the next one is taken.
        try withoutWriting(VaultFile.successorPath(of: former.owner, in: fixture.folder.path)) {
            #expect(vaultError { try successor.beginFilling(with: sealer) } == .storage)
        }
        for counted in [0, 1] {
            left.set(counted)
            #expect(vaultError { try successor.beginFilling(with: sealer) } == .sealer, "\(counted)")
        }
        left.set(0)
        #expect(vaultError { try successor.endFilling(with: sealer) } == .sealer)
        left.set(.max)
        try successor.beginFilling(with: sealer)
        left.set(0)
        #expect(vaultError { try successor.endFilling(with: sealer) } == .sealer)
        left.set(.max)
        try successor.vault.count(with: sealer)
        #expect(!successor.vault.isAhead)
    }
}
