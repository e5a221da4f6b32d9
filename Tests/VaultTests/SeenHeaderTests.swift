import Authorization
import Cryptography
import SQLite
import Testing

@testable import Vault

/// Attacker 5 changes the header of an open vault: which header may follow the one that was seen last.
struct SeenHeaderTests {
    private let record: RegistryRecord
    private let keys: VaultKeys
    private let rows: Rows
    private let first: AuthenticatedHeader

    init() throws {
        record = Self.record(of: try .random(), created: 11)
        keys = try VaultKeys(deviceRoot: .random(count: 32), vault: record.vault)
        rows = Rows(try Connection(path: nil))
        try rows.createTables()
        let digest = [UInt8](repeating: 1, count: SHA256.count)
        var header = Header(record: record, keybagDigest: digest, objectsDigest: digest)
        (header.epoch, header.revision) = (5, 7)
        first = try rows.put(header, keys: keys)
    }

    private static func record(
        of vault: VaultID, owner: Owner = .user(1000), created: UInt64, sealer: SealerKind = .software
    ) -> RegistryRecord {
        RegistryRecord(
            vault: vault, owner: owner, ownerName: "tester", created: created, sealer: sealer, authenticatorKey: [],
            storageKey: nil, objects: [:])
    }

    /// Why a header does not follow the first one; nil if it does.
    private func refusal(_ change: (inout Header) -> Void) throws -> VaultError.Code? {
        let seen = SeenHeader(first, keys: keys)
        var next = first.header
        change(&next)
        try rows.put(next, keys: keys)
        let code = vaultError { _ = try seen.current(rows, record) }
        #expect(seen.header == (code == nil ? next : first.header))
        return code
    }

    @Test func aLaterOneFollows() throws {
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0.revision += 1 } == nil)
        #expect(
            try refusal {
                $0.revision += 1
                $0.epoch += 1
            } == nil)
    }

    @Test func noOtherOneFollows() throws {
        #expect(try refusal { $0.itemCount += 1 } == .damaged)
        #expect(try refusal { $0.revision -= 1 } == .damaged)
        let other = [UInt8](repeating: 2, count: SHA256.count)
        let changes: [(inout Header) -> Void] = [
            { $0.epoch -= 1 }, { $0.keybagDigest = other }, { $0.objectsDigest = other },
        ]
        for (number, change) in changes.enumerated() {
            let code = try refusal { header in
                header.revision += 1
                change(&header)
            }
            #expect(code == .damaged, "\(number)")
        }
    }

    @Test func whatIsKeptNeedsTheVeryHeaderThatWasSeen() throws {
        let seen = SeenHeader(first, keys: keys)
        #expect(vaultError { try seen.requireUnchanged(rows, if: { $0 == 7 }) } == nil)
        var next = first.header
        next.revision += 1
        try rows.put(next, keys: keys)
        #expect(vaultError { try seen.requireUnchanged(rows, if: { $0 == 7 }) } == .damaged)
        // Where nothing is kept, the header is only read.
        #expect(vaultError { try seen.requireUnchanged(rows, if: { _ in false }) } == nil)
    }

    /// Another vault's header has another MAC. So only a record that was changed says something else than the header.
    @Test func theRegistrySaysTheSame() throws {
        let (vault, found) = (record.vault, (content: first.content, mac: first.mac))
        func refusal(_ record: RegistryRecord) -> VaultError.Code? {
            vaultError { _ = try SeenHeader.check(found, keys: keys, record: record) }
        }
        #expect(refusal(record) == nil)
        let forged = (content: first.content, mac: [UInt8](repeating: 0, count: first.mac.count))
        #expect(vaultError { _ = try SeenHeader.check(forged, keys: keys, record: record) } == .damaged)
        #expect(refusal(Self.record(of: vault, created: 12)) == .damaged)
        #expect(refusal(Self.record(of: vault, owner: .group(1000), created: 11)) == .damaged)
        #expect(refusal(Self.record(of: vault, created: 11, sealer: .tpm)) == .damaged)
        #expect(try refusal(Self.record(of: .random(), created: 11)) == .damaged)
    }
}
