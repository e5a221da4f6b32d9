import Authorization
import Cryptography

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

    /// Makes the counter again at its place, and removes anything there. It starts at an epoch that the vault never
    /// had.
    ///
    /// - Returns: that epoch.
    func remakeCounter(password: SecretBytes, record: RegistryRecord) throws(SealerError) -> UInt64

    /// Removes the counter of a vault that was never completed. Does nothing if the counter is gone or not ours.
    func removeCounter(_ pin: CounterPin) throws(SealerError)
}
