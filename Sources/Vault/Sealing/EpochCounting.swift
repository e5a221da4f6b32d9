import Authorization
import Cryptography

/// A device root, and how far the vault's epoch was counted.
public struct CountedRoot: Sendable {
    /// 32 bytes.
    public let deviceRoot: SecretBytes
    /// What the counter stands for; nil where nothing counts.
    public let epoch: UInt64?

    public init(deviceRoot: SecretBytes, epoch: UInt64?) {
        self.deviceRoot = deviceRoot
        self.epoch = epoch
    }
}

/// Counts the epochs of a vault where nobody who can write its file can count (docs/vault-format.md, "Epoch and counter"). The password of a counter is
/// derived from the vault's device root.
///
/// Calls are synchronous and may block, as a ``Sealer``'s.
public protocol EpochCounting: Sendable {
    /// The device root with the counter, in one opening. Needs no person.
    ///
    /// - Throws: `.counterGone`, and what opening the root throws.
    func openCounted(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> CountedRoot

    /// Brings the counter to an epoch. It may be asked for twice, and counts once.
    ///
    /// - Parameter most: so many steps, and no more.
    /// - Returns: the epoch that the counter stands for: the wanted one; or another that is more, or out of reach.
    /// - Throws: `.counterGone`; `.busy` where the TPM spares its memory.
    func count(
        to epoch: UInt64, most: UInt64, password: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> UInt64

    /// Makes the counter again in its place, whatever is there. It stands for an epoch that the vault never had.
    ///
    /// - Returns: that epoch.
    func remakeCounter(password: SecretBytes, record: RegistryRecord) throws(SealerError) -> UInt64

    /// Removes the counter of a vault that never came to be. One that is gone, or another's, is left as it is.
    func removeCounter(_ pin: CounterPin) throws(SealerError)
}
