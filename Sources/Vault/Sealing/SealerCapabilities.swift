import Authorization
import Cryptography
import TPM

/// What only some sealers can do. A sealer that lacks something has nil for it. A caller that needs it asks with
/// `require…`, so that each refusal is worded here, once.
extension Sealer {
    /// - Throws: `.unsupported`.
    public func requireBinding() throws(SealerError) -> any PasswordBinding {
        guard let binding else {
            throw SealerError(
                .unsupported,
                "only a TPM counts the tries of a password, and this machine's vaults are sealed by software")
        }
        return binding
    }

    /// - Throws: `.unsupported`.
    public func requireCounting() throws(SealerError) -> any EpochCounting {
        guard let counting else {
            throw SealerError(
                .unsupported, "only a TPM counts a vault's epochs, and this machine's vaults are sealed by software")
        }
        return counting
    }

    /// - Throws: `.unsupported`.
    public func requireBootTie() throws(SealerError) -> any BootTie {
        guard let bootTie else {
            throw SealerError(
                .unsupported, "only a TPM knows how the machine was started, and this vault is sealed by software")
        }
        return bootTie
    }

    /// - Throws: `.unsupported`.
    public func requireAttesting() throws(SealerError) -> any KeyAttesting {
        guard let attesting else {
            throw SealerError(
                .unsupported, "only a TPM can prove where keys are, and this machine's vaults are sealed by software")
        }
        return attesting
    }

    /// Removes from the TPM what was made for a vault that was never completed. What cannot be removed stays there,
    /// useless to anybody (docs/tpm.md, "What can be left behind").
    public func remove(counter: CounterPin?, generation: GenerationPin?) {
        // If removing fails, the counter stays, and nobody needs to be told.
        if let counter { try? indexes?.remove(counter) }
        // As above. This also runs if the counter could not be removed.
        if let generation { try? indexes?.remove(generation) }
    }
}

/// Removes indexes from the TPM, and tells which are there. Nothing that depends on a removed index opens again. A
/// removal does nothing if the index is gone or not ours.
///
/// Calls are synchronous and may block, as those of a ``Sealer`` do.
public protocol IndexRemoval: Sendable {
    /// Whether this very index is in the TPM.
    func has(_ generation: GenerationPin) throws(SealerError) -> Bool
    /// Removes any counter at this handle. All counters look alike, so the caller must know that it is this one.
    func remove(_ counter: CounterPin) throws(SealerError)
    func remove(_ generation: GenerationPin) throws(SealerError)
    func remove(_ index: VaultIndex) throws(SealerError)
}

/// A device root, and the epoch that the vault's counter has reached.
public struct CountedRoot: Sendable {
    /// 32 bytes.
    public let deviceRoot: SecretBytes
    /// The epoch that the counter has reached; nil if the vault has no counter.
    public let epoch: UInt64?

    public init(deviceRoot: SecretBytes, epoch: UInt64?) {
        self.deviceRoot = deviceRoot
        self.epoch = epoch
    }
}

/// Counts the epochs of a vault where nobody who can write its file can change the count (docs/vault-format.md, "Epoch
/// and counter"). A counter's password is derived from the vault's device root.
///
/// Calls are synchronous and may block, as those of a ``Sealer`` do.
public protocol EpochCounting: Sendable {
    /// The device root and the counter's epoch, from one opening of the TPM. Asks nobody.
    ///
    /// - Throws: `.counterGone`; any error of opening the root.
    func openCounted(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> CountedRoot

    /// Brings the counter to an epoch. A repeated call does not count again.
    ///
    /// - Parameter most: the largest number of steps to take.
    /// - Returns: the epoch that the counter has reached. It differs from the wanted one if it was already higher, or
    ///   if the wanted one is out of reach.
    /// - Throws: `.counterGone`; `.busy` if the TPM limits its writes.
    func count(
        to epoch: UInt64, most: UInt64, password: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> UInt64

    /// Makes the counter again at its place, and removes any counter there. No other vault may need that one. The new
    /// counter starts at an epoch that the vault never had.
    ///
    /// - Returns: that epoch.
    /// - Throws: `.other` if an index is there that is no counter. Then nothing has changed.
    func remakeCounter(password: SecretBytes, record: RegistryRecord) throws(SealerError) -> UInt64
}

/// Reports the condition of a sealer's TPM. For diagnosis only: nothing is decided by the answers.
///
/// Calls are synchronous and may block, as those of a ``Sealer`` do.
public protocol SealerInspection: Sendable {
    /// - Parameter record: a vault's record, whose storage key is checked; nil if there is no vault.
    func inspect(_ record: RegistryRecord?) throws(SealerError) -> SealerCondition

    /// How many more NV indexes fit.
    func room() throws(SealerError) -> NVRoom

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
