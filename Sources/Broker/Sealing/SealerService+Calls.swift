import Authorization
import Cryptography
import TPM
import Vault

/// The uses of the sealer that are one call each.
extension SealerService {
    func describe() async throws(SealerError) -> SealerDescription {
        try await use { (sealer) throws(SealerError) in try sealer.describe() }
    }

    /// The keys of a new vault. If they come too late for the caller, the TPM keeps nothing of them.
    func makeKeys(
        vault: VaultID, owner: Owner, authenticatorKey: [UInt8], within limit: Duration
    ) async throws(SealerError) -> NewVaultKeys {
        try await use(within: limit) { (sealer) throws(SealerError) in
            try sealer.makeKeys(vault: vault, owner: owner, authenticatorKey: authenticatorKey)
        } undo: { sealer, keys in
            sealer.remove(counter: keys.counter, generation: keys.generation)
        }
    }

    /// The key for a set of enrolled fingers, and its Name.
    func makeSetKey(
        _ setDigest: [UInt8], record: RegistryRecord
    ) async throws(SealerError) -> (SealedObject, name: [UInt8]) {
        try await use { (sealer) throws(SealerError) in try sealer.makeSetKey(setDigest, record: record) }
    }

    /// How the present boot relates to a vault that is tied to the boot.
    func standing(of boots: BootList, record: RegistryRecord) async throws(SealerError) -> BootStanding {
        try await use { (sealer) throws(SealerError) in
            try sealer.requireBootTie().standing(of: boots, record: record)
        }
    }

    /// Approves these boots and no others.
    func approve(_ boots: [ApprovedBoot], by key: SecretBytes, record: RegistryRecord) async throws(SealerError) {
        try await use { (sealer) throws(SealerError) in
            try sealer.requireBootTie().approve(boots, by: key, record: record)
        }
    }

    /// The present values of registers.
    func measurements(of registers: Set<Int>) async throws(SealerError) -> [Int: [UInt8]] {
        try await use { (sealer) throws(SealerError) in try sealer.requireBootTie().measurements(of: registers) }
    }

    /// The condition of the TPM, and of a vault's storage key in it.
    ///
    /// - Returns: nil if the sealer cannot be inspected.
    func inspect(_ record: RegistryRecord?) async throws(SealerError) -> SealerCondition? {
        try await use { (sealer) throws(SealerError) in
            try sealer.inspection?.inspect(record)
        }
    }

    /// Identifies the TPM that holds a vault's storage key.
    ///
    /// - Returns: nil if the sealer cannot be inspected.
    func identity(
        of record: RegistryRecord, roots: [Certificate]
    ) async throws(SealerError) -> Endorsement.Standing? {
        try await use { (sealer) throws(SealerError) in
            try sealer.inspection?.identity(of: record, roots: roots)
        }
    }
}
