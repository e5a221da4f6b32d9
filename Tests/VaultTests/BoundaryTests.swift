import Authorization
import Cryptography
import Item
import Testing

@testable import Vault

/// What is as large as a limit is taken, and one more is not, whether it comes from a caller or from the file.
@Suite struct BoundaryTests {
    private func history(_ count: UInt8, _ days: UInt16) -> HistorySetting? {
        var reader = ByteReader([count] + BigEndian.bytes(days), "the header")
        // `try?`: damage is what some of these are.
        return try? HistorySetting(&reader)
    }

    @Test func aHistoryHasItsLimits() throws {
        for (count, days) in [(0, 0), (10, 366), (10, 0), (0, 366)] {
            let setting = try HistorySetting(count: count, days: days)
            #expect(setting.count == count && setting.days == days)
            #expect(history(UInt8(count), UInt16(days)) == setting)
        }
        for (count, days) in [(11, 1), (1, 367)] {
            #expect(vaultError { _ = try HistorySetting(count: count, days: days) } == .invalidArgument)
            #expect(history(UInt8(count), UInt16(days)) == nil)
        }
        for (count, days) in [(-1, 1), (1, -1), (256, 1), (1, 65_536)] {
            #expect(vaultError { _ = try HistorySetting(count: count, days: days) } == .invalidArgument)
        }
    }

    @Test func aSettingKeepsLessIfOneOfItsNumbersIsSmaller() throws {
        let setting = try HistorySetting(count: 3, days: 30)
        #expect(!setting.keepsLess(than: setting))
        #expect(try HistorySetting(count: 2, days: 31).keepsLess(than: setting))
        #expect(try HistorySetting(count: 4, days: 29).keepsLess(than: setting))
        #expect(try !HistorySetting(count: 4, days: 31).keepsLess(than: setting))
        #expect(setting.end(ofReplaced: 5) == 5 + 30 * 24 * 3600 * 1000)
        #expect(setting.end(ofReplaced: .max - 1) == .max)
    }

    private func boots(_ count: Int) -> [ApprovedBoot] {
        (0..<count).map { ApprovedBoot(digest: [UInt8](repeating: UInt8($0), count: SHA256.count), approved: 7) }
    }

    @Test(arguments: [(1, 0), (8, 8), (1, 8), (8, 0)]) func aListOfBootsComesBack(inForce: Int, next: Int) throws {
        let list = BootList(inForce: boots(inForce), next: boots(next))
        #expect(try BootList(list.object) == list)
    }

    @Test(arguments: [(0, 0), (9, 0), (1, 9)]) func anImpossibleListIsDamage(inForce: Int, next: Int) {
        #expect(throws: SealerError.self) {
            try BootList(BootList(inForce: boots(inForce), next: boots(next)).object)
        }
    }

    @Test func aBootIsApprovedOnce() throws {
        let twice = BootList(inForce: boots(1) + boots(1))
        #expect(throws: SealerError.self) { try BootList(twice.object) }
        // A byte behind the lists belongs to nothing.
        let list = BootList(inForce: boots(1)).object
        #expect(throws: SealerError.self) {
            try BootList(SealedObject(role: .approvedBoots, public: list.public + [0], private: []))
        }
        #expect(throws: SealerError.self) {
            try BootList(SealedObject(role: .approvedBoots, public: list.public, private: [0]))
        }
        #expect(throws: SealerError.self) { try BootList(nil) }
    }

    /// The longest text of each size class, and one more byte.
    @Test func aSizeTellsLittle() {
        #expect([0, 59, 60, 61, 1000, 1020, 1021].map(SizeClass.value) == [64, 64, 64, 72, 1024, 1024, 1088])
        #expect([0, 252, 253, 508, 509].map(SizeClass.metadata) == [256, 256, 512, 512, 768])
        #expect([0, 60, 61, 124, 125].map(SizeClass.stamps) == [64, 64, 128, 128, 192])
    }

    /// A length alone is the shortest padded text. What is padded wrongly is damage, and no failure of the machine.
    @Test func aPaddedTextHasALengthAtLeast() throws {
        func removed(_ bytes: [UInt8]) throws -> [UInt8] {
            revealed(try Padding.remove(secret(bytes), "it", sizeClass: { $0 + 4 }))
        }
        #expect(try removed([0, 0, 0, 0]) == [])
        #expect(try removed([0, 0, 0, 1, 7]) == [7])
        for bytes in [[], [0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0, 0]] as [[UInt8]] {
            #expect(vaultError { _ = try removed(bytes) } == .damaged, "\(bytes)")
        }
        // The length is larger than the text, although the size class fits.
        for bytes in [[0, 0, 0, 1], [0, 0, 0, 2, 7]] as [[UInt8]] {
            let code = vaultError { _ = try Padding.remove(secret(bytes), "it", sizeClass: { _ in bytes.count }) }
            #expect(code == .damaged, "\(bytes)")
        }
        let padded = revealed(try Padding.add(secret("abc"), upTo: 64))
        let wrong = Array(padded.dropLast()) + [1]
        #expect(vaultError { _ = try Padding.remove(secret(wrong), "it", sizeClass: SizeClass.value) } == .damaged)
    }

    @Test func aPartHasItsLength() throws {
        func read(_ count: Int?) throws -> [UInt8] {
            var reader = ByteReader([0, 0, 0, 2, 7, 8], "it")
            return try reader.prefixed(count)
        }
        for count in [2, nil] { #expect(try read(count) == [7, 8]) }
        for count in [1, 3] { #expect(vaultError { _ = try read(count) } == .damaged) }
        for count in [0, 15, 16, 17] {
            let revision = RevisionID(bytes: [UInt8](repeating: 7, count: count))
            #expect((revision != nil) == (count == 16))
        }
    }

    @Test func anItemsVersionsBeginWithOne() throws {
        func isRefused(_ version: UInt64) -> Bool {
            let record = ItemRecord(
                version: version, access: .whenUnlocked, sealedMetadata: [1], fieldsDigest: FieldRecord.noDigest)
            return vaultError { _ = try ItemRecord(decoding: record.encoded) } == .damaged
        }
        #expect(isRefused(0) && !isRefused(1))
        let record = ItemRecord(
            version: 1, access: .whenUnlocked, sealedMetadata: [1], fieldsDigest: FieldRecord.noDigest)
        #expect(try ItemRecord(decoding: record.encoded) == record)
        #expect(vaultError { _ = try ItemRecord(decoding: record.encoded + [0]) } == .damaged)
    }
}
