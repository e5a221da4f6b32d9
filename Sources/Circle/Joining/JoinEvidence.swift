import Authorization
import Cryptography

/// How a new device answers a challenge: its TPM's word that the request's keys are in it, and what these keys' policies
/// rest on (docs/sync-format.md, "Proof of a TPM").
package struct JoinEvidence: Sendable {
    /// The SHA-256 of the request that it is about.
    package let request: [UInt8]
    package let machine: MachineIdentity
    /// What the keys' policies name. The authenticator that checks a proof computes the policies from it.
    package let vault: Claim
    /// The Name of the storage key, under which the keys lie: 34 bytes.
    package let parent: [UInt8]
    /// The marshalled private areas of the request's keys, in the order of ``MemberKeys/keysInTPM``.
    package let privateAreas: [[UInt8]]
    package let loads: AttestedLoads
    package let bytes: [UInt8]

    /// The vault of a new device, as its keys' policies have it.
    package struct Claim: Hashable, Sendable {
        package let id: VaultID
        package let owner: Owner
        /// The public point of the key that signs if its person has agreed, 65 bytes.
        package let authenticatorKey: [UInt8]
        package let generation: GenerationPin?

        /// - Throws: `.length` unless the point has 65 bytes.
        package init(
            id: VaultID, owner: Owner, authenticatorKey: [UInt8], generation: GenerationPin?
        ) throws(CircleFormError) {
            guard authenticatorKey.count == P256.pointCount,
                generation.map({ $0.policy.count == SHA256.count }) ?? true
            else { throw .length }
            (self.id, self.owner) = (id, owner)
            (self.authenticatorKey, self.generation) = (authenticatorKey, generation)
        }

        /// A record that says no more than the claim.
        var record: RegistryRecord {
            RegistryRecord(
                vault: id, owner: owner, ownerName: "", created: 0, sealer: .tpm, authenticatorKey: authenticatorKey,
                storageKey: nil, objects: [:], generation: generation)
        }
    }

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.evidence".utf8))

    /// - Throws: `.length`.
    package init(
        request: [UInt8], machine: MachineIdentity, vault: Claim, parent: [UInt8], privateAreas: [[UInt8]],
        loads: AttestedLoads
    ) throws(CircleFormError) {
        guard request.count == SHA256.count, parent.count == Self.nameCount,
            (1...Self.keys).contains(privateAreas.count),
            privateAreas.allSatisfy({ (1...Self.privateArea).contains($0.count) }),
            (1...Self.statement).contains(loads.statement.count), loads.signature.count == P256.signatureCount
        else { throw .length }
        (self.request, self.machine, self.vault, self.parent) = (request, machine, vault, parent)
        (self.privateAreas, self.loads) = (privateAreas, loads)
        let generation = vault.generation.map { [1] + BigEndian.bytes($0.handle) + $0.policy } ?? [0]
        bytes =
            Self.domain + BigEndian.bytes(CircleLimits.version) + request + machine.bytes + vault.id.bytes
            + LengthPrefixed.encode(Array(vault.owner.text.utf8)) + vault.authenticatorKey + generation + parent
            + [UInt8](list: privateAreas) { LengthPrefixed.encode($0) } + LengthPrefixed.encode(loads.statement)
            + loads.signature
    }

    /// Reads canonical bytes. Each evidence has one form.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        guard bytes.count <= CircleLimits.evidence else { throw .length }
        var rest = bytes[...]
        try rest.domain(Self.domain)
        try rest.version()
        let request = try rest.take(SHA256.count)
        let machine = try rest.machine()
        guard let id = VaultID(bytes: try rest.take(VaultID.count)),
            let owner = Owner(text: try rest.text(upTo: Self.owner))
        else { throw .form }
        let authenticatorKey = try rest.take(P256.pointCount)
        let vault = try Claim(
            id: id, owner: owner, authenticatorKey: authenticatorKey, generation: try Self.generation(&rest))
        let parent = try rest.take(Self.nameCount)
        let areas = try rest.elements(upTo: Self.keys) { (rest) throws(CircleFormError) in
            try rest.prefixed(upTo: Self.privateArea)
        }
        let statement = try rest.prefixed(upTo: Self.statement)
        let loads = AttestedLoads(statement: statement, signature: try rest.take(P256.signatureCount))
        try rest.end()
        try self.init(
            request: request, machine: machine, vault: vault, parent: parent, privateAreas: areas, loads: loads)
    }

    private static func generation(_ rest: inout ArraySlice<UInt8>) throws(CircleFormError) -> GenerationPin? {
        switch try rest.integer(UInt8.self) {
        case 0: return nil
        case 1:
            let handle = try rest.integer(UInt32.self)
            guard let pin = GenerationPin(handle: handle, policy: try rest.take(SHA256.count)) else { throw .range }
            return pin
        default: throw .range
        }
    }

    /// Whether every key of the request that a TPM can keep is in the TPM of this evidence, behind the policy that asks
    /// its person.
    ///
    /// - Parameter secret: what the challenge's credential held, 32 bytes.
    /// - Throws: `.hash` if a library fails.
    package func proves(_ request: JoinRequest, secret: SecretBytes) throws(CircleFormError) -> Bool {
        let keys = request.keys.keysInTPM
        guard request.protection == .tpm, self.request == request.digest, privateAreas.count == keys.count else {
            return false
        }
        do throws(CryptographyError) {
            var loaded: [AttestedLoads.Load] = []
            for (key, area) in zip(keys, privateAreas) {
                loaded.append(try .init(key.role, point: key.point, privateArea: area, in: vault.record))
            }
            return try loads.cover(
                loaded, parent: parent, qualifying: JoinChallenge.qualifying(secret, request: request.digest),
                by: machine)
        } catch {
            // What is no signature and no point proves nothing.
            guard [.invalidKey, .invalidSignature].contains(error.code) else { throw .hash }
            return false
        }
    }

    // Lengths in bytes, and a count.
    private static let nameCount = 34
    private static let keys = 2 + MemberKeys.guards.count
    private static let privateArea = 512
    private static let statement = 512
    private static let owner = 16
}

extension MemberKeys {
    /// The keys that a TPM can keep, in the order in which it proves that it has them.
    package var keysInTPM: [(role: ObjectRole, point: [UInt8])] {
        let own: [(role: ObjectRole, point: [UInt8])] = [(.membershipKey, membership), (.streamKey, stream)]
        return own
            + zip(Self.guards, [ObjectRole.presence, .biometryAny, .passcode]).compactMap { requirement, role in
                point(of: requirement).map { (role, $0) }
            }
    }
}
