import Authorization
import Cryptography
import TPM

/// Reports the condition of a sealer's TPM. For diagnosis only: nothing is decided by the answers.
public protocol SealerInspection: Sealer {
    /// - Parameter record: a vault's record, whose storage key is checked; nil if there is no vault.
    func inspect(_ record: RegistryRecord?) throws(SealerError) -> SealerCondition

    /// Identifies the TPM that holds a vault's storage key. May take seconds.
    ///
    /// - Parameter roots: certificates of TPM makers that root trusts.
    func identity(of record: RegistryRecord, roots: [Certificate]) throws(SealerError) -> Endorsement.Standing
}

/// The condition of the TPM, and of a vault's storage key in it.
public struct SealerCondition: Sendable, Equatable {
    public let tpm: TPMCondition
    /// nil if there is no vault.
    public let storageKey: StorageKeyStanding?

    public init(tpm: TPMCondition, storageKey: StorageKeyStanding?) {
        self.tpm = tpm
        self.storageKey = storageKey
    }
}

extension TPMSealer: SealerInspection {
    public func inspect(_ record: RegistryRecord?) throws(SealerError) -> SealerCondition {
        do throws(TPMError) {
            let context = try access.open()
            let condition = try context.condition()
            guard let pin = record?.storageKey else { return SealerCondition(tpm: condition, storageKey: nil) }
            let identity = StorageKeyIdentity(handle: pin.handle, name: pin.name, context: pin.context)
            return SealerCondition(tpm: condition, storageKey: try context.standing(of: identity))
        } catch { throw SealerError(error) }
    }

    public func identity(
        of record: RegistryRecord, roots: [Certificate]
    ) throws(SealerError) -> Endorsement.Standing {
        guard let pin = record.storageKey else {
            throw SealerError(.damaged, "the registry record of \(record.owner) names no storage key of a TPM")
        }
        do throws(TPMError) {
            let context = try access.open()
            let key = try context.storageKey(
                StorageKeyIdentity(handle: pin.handle, name: pin.name, context: pin.context))
            return try context.endorsement(of: key, roots: roots).standing
        } catch { throw SealerError(error) }
    }
}
