import Cryptography
import Testing

@testable import Authorization

/// What counts as a TPM's word that it has loaded certain keys. A key of the test plays the TPM, so that it can say
/// what no TPM says.
@Suite struct AttestedLoadsTests {
    private static let parent: [UInt8] = [0, 0x0B] + [UInt8](repeating: 8, count: 32)
    private static let magic: [UInt8] = [0xFF, 0x54, 0x43, 0x47]

    private let attestation: P256.PrivateKey
    private let machine: MachineIdentity
    private let loads: [AttestedLoads.Load]

    init() throws {
        attestation = try .generate()
        let endorsement = try P256.PrivateKey.generate().publicKey
        machine = try MachineIdentity(endorsement: endorsement, attestation: attestation.publicKey)
        let record = RegistryRecord(
            vault: try VaultID.random(), owner: .user(1000), ownerName: "", created: 0, sealer: .tpm,
            authenticatorKey: endorsement, storageKey: nil, objects: [:])
        loads = try [ObjectRole.streamKey, .presence].map { role in
            try AttestedLoads.Load(role, point: endorsement, privateArea: [0, 1, 5], in: record)
        }
    }

    /// - Parameter between: the clock, the version of the firmware, and whether the session was the only one.
    private func statement(
        magic: [UInt8] = Self.magic, kind: UInt16 = 0x8016, qualifying: [UInt8] = [1, 2, 3], between: Int = 26,
        digest: [UInt8]? = nil
    ) throws -> [UInt8] {
        let said = try digest ?? AttestedLoads.digest(of: loads, under: Self.parent)
        return magic + BigEndian.bytes(kind) + GuardedKeyName.sized([0, 0x0B] + [UInt8](repeating: 4, count: 32))
            + GuardedKeyName.sized(qualifying) + [UInt8](repeating: 0, count: between) + GuardedKeyName.sized(said)
    }

    private func covers(
        _ statement: [UInt8], _ loads: [AttestedLoads.Load]? = nil, parent: [UInt8] = Self.parent,
        qualifying: [UInt8] = [1, 2, 3]
    ) throws -> Bool {
        try AttestedLoads(statement: statement, signature: attestation.signature(for: statement)).cover(
            loads ?? self.loads, parent: parent, qualifying: qualifying, by: machine)
    }

    @Test func exactlyTheseKeysInThisOrderAreCovered() throws {
        let honest = try statement()
        #expect(try covers(honest))
        for other in [[], [loads[0]], Array(loads.reversed()), loads + [loads[0]]] {
            #expect(try !covers(honest, other), "\(other.count)")
        }
        #expect(try !covers(honest, parent: [0, 0x0B] + [UInt8](repeating: 9, count: 32)))
        #expect(try !covers(honest, qualifying: [1, 2, 4]))
        #expect(try !covers(honest, qualifying: [1, 2]))
    }

    @Test func onlyTheDigestOfASessionOfThisTPMCounts() throws {
        #expect(try !covers(statement(magic: [0xFF, 0x54, 0x43, 0x48])))
        for kind: UInt16 in [0x8014, 0x8017, 0x8018, 0x0016] { #expect(try !covers(statement(kind: kind)), "\(kind)") }
        #expect(try !covers(statement(digest: [UInt8](repeating: 0, count: 32))))
        #expect(try !covers(statement(digest: [])))
        for between in [0, 25, 27] { #expect(try !covers(statement(between: between)), "\(between)") }
        let honest = try statement()
        let stranger = try P256.PrivateKey.generate().signature(for: honest)
        #expect(
            try !AttestedLoads(statement: honest, signature: stranger).cover(
                loads, parent: Self.parent, qualifying: [1, 2, 3], by: machine))
    }

    /// A statement that ends too early, or that goes on, is none. Both are signed all the same.
    @Test func aStatementIsWhole() throws {
        let honest = try statement()
        for count in 1..<honest.count { #expect(try !covers(Array(honest.prefix(count))), "\(count)") }
        #expect(try !covers(honest + [0]))
    }

    /// Two bytes tell a length.
    @Test func whatIsSignedBesidesCanBeLong() throws {
        let long = [UInt8](repeating: 6, count: 300)
        #expect(try covers(statement(qualifying: long), qualifying: long))
        #expect(try covers(statement(qualifying: []), qualifying: []))
    }

    /// Another program computed this digest.
    @Test func theDigestOfASessionIsKnown() throws {
        let one = try #require(
            Hex.decode(
                "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                    + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"))
        let other = try #require(
            Hex.decode(
                "047cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978"
                    + "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1"))
        let record = RegistryRecord(
            vault: try #require(VaultID(bytes: [UInt8](repeating: 1, count: 16))), owner: .user(1000), ownerName: "",
            created: 0, sealer: .tpm, authenticatorKey: one, storageKey: nil, objects: [:])
        let loads = [
            try AttestedLoads.Load(.streamKey, point: other, privateArea: [0, 1, 5], in: record),
            try AttestedLoads.Load(.presence, point: one, privateArea: [0, 1, 5], in: record),
        ]
        #expect(
            try Hex.encode(AttestedLoads.digest(of: loads, under: Self.parent))
                == "b815594d9d98b63a47c24cf4f684eea4c02049426c42b9489a2a1c9d8e92f9cd")
    }
}
