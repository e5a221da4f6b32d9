import Authorization
import Cryptography
import TPM
import Vault

/// The uses of the sealer that are one call each.
extension SealerService {
    func describe() async throws(SealerError) -> SealerDescription {
        try await use { (sealer) throws(SealerError) in try sealer.describe() }
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
