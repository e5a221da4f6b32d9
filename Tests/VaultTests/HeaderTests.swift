import Authorization
import Cryptography
import Foundation
import Item
import SQLite
import Testing

@testable import Vault

/// The header's bytes in each format. Only Coffer itself can make its MAC, so a wrong header would be a fault of ours.
struct HeaderTests {
    private let record: RegistryRecord
    /// Every number of it is another one.
    private let header: Header

    init() throws {
        record = RegistryRecord(
            vault: try .random(), owner: .user(1000), ownerName: "tester", created: 11, sealer: .software,
            authenticatorKey: [], storageKey: nil, objects: [:])
        func digest(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: SHA256.count) }
        var header = Header(record: record, keybagDigest: digest(1), objectsDigest: digest(2))
        header.root = digest(3)
        (header.epoch, header.revision, header.itemCount) = (12, 13, 14)
        header.advanceDue = .writes
        header.history = try HistorySetting(count: 5, days: 6)
        (header.oldestFormer, header.binDays, header.oldestDeletion) = (15, 16, 17)
        self.header = header
    }

    private func isRefused(_ bytes: [UInt8]) -> Bool { vaultError { _ = try Header(decoding: bytes) } == .damaged }

    @Test(arguments: 1...Header.newestFormat) func itIsReadAsItWasWritten(format: UInt16) throws {
        var written = header
        written.format = format
        var expected = written
        if format < 2 { (expected.history, expected.oldestFormer) = (HistorySetting.standard, Header.noFormer) }
        if format < 3 { (expected.binDays, expected.oldestDeletion) = (Header.standardBinDays, Header.noDeletion) }
        #expect(try Header(decoding: written.encoded) == expected)
        #expect(isRefused(written.encoded + [0]))
        #expect(isRefused(Array(written.encoded.dropLast())))
        #expect(try Header.format(of: written.encoded) == format)
    }

    @Test(arguments: [(.tpm, 1), (.software, 2)] as [(SealerKind, UInt8)])
    func itNamesTheSealer(sealer: SealerKind, number: UInt8) throws {
        let record = RegistryRecord(
            vault: record.vault, owner: record.owner, ownerName: record.ownerName, created: record.created,
            sealer: sealer, authenticatorKey: [], storageKey: nil, objects: [:])
        let digest = [UInt8](repeating: 1, count: SHA256.count)
        let header = Header(record: record, keybagDigest: digest, objectsDigest: digest)
        let bytes = header.encoded
        // After the magic, the format and the vault.
        let place = Header.magic.count + 2 + VaultID.count
        #expect(bytes[place] == number)
        #expect(try Header(decoding: bytes) == header)
        for other in [0, 3, 4] as [UInt8] {
            var changed = bytes
            changed[place] = other
            #expect(isRefused(changed), "\(other)")
        }
    }

    @Test func aNewVaultBeginsWithOne() {
        let header = Header(record: record, keybagDigest: [], objectsDigest: [])
        #expect(header.format == 3 && header.epoch == 1 && header.revision == 1 && header.itemCount == 0)
    }

    /// Format 1 had no step that a change leaves.
    @Test(arguments: 1...Header.newestFormat) func aStepCanBeLeftSinceFormat2(format: UInt16) throws {
        var written = header
        written.format = format
        for due in [AdvanceDue.nothing, .writes] {
            written.advanceDue = due
            #expect(try Header(decoding: written.encoded).advanceDue == due)
        }
        written.advanceDue = .step
        #expect(isRefused(written.encoded) == (format == 1))
    }

    @Test func theBinHasItsLimit() throws {
        var written = header
        written.binDays = UInt16(ItemLimits.binDays.most)
        #expect(try Header(decoding: written.encoded).binDays == written.binDays)
        written.binDays += 1
        #expect(isRefused(written.encoded))
    }

    /// Nobody needs the sealer for that, so it is damage even where the sealer opens nothing.
    @Test func aFileWithoutAHeaderIsDamagedWhateverTheSealerSays() throws {
        let fixture = try VaultFixture()
        try fixture.open().close()
        try FileManager.default.removeItem(atPath: fixture.folder.path + "/" + SoftwareSealer.keyFile)
        #expect(vaultError { _ = try fixture.open() } == .sealer)
        try fixture.tamper { try $0.run("UPDATE header SET content = x'00'") }
        #expect(vaultError { _ = try fixture.open() } == .damaged)
    }

    @Test func noOtherFormatIsRead() throws {
        for format in [0, Header.newestFormat + 1] {
            var written = header
            written.format = format
            #expect(isRefused(written.encoded))
        }
        #expect(vaultError { try Header.check(Header.newestFormat) } == nil)
        #expect(vaultError { try Header.check(Header.newestFormat + 1) } == .newerFormat)
        // The first byte of the magic.
        var other = header.encoded
        other[0] ^= 1
        #expect(isRefused(other))
        #expect(vaultError { _ = try Header.format(of: other) } == .damaged)
    }
}
