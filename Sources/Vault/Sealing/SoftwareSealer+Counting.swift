import Authorization
import Cryptography

/// Software counts nothing. An attacker who can roll back the vault's file could also roll back a file with a count.
extension SoftwareSealer {
    private static let refusal = SealerError(
        .unsupported, "only a TPM counts a vault's epochs, and this machine's vaults are sealed by software")

    public func openCounted(_ objects: SealedObjects, record: RegistryRecord) throws(SealerError) -> CountedRoot {
        CountedRoot(deviceRoot: try openDeviceRoot(objects, record: record), epoch: nil)
    }

    public func count(
        to epoch: UInt64, most: UInt64, password: SecretBytes, record: RegistryRecord
    ) throws(SealerError) -> UInt64 { throw Self.refusal }

    public func remakeCounter(password: SecretBytes, record: RegistryRecord) throws(SealerError) -> UInt64 {
        throw Self.refusal
    }

    public func removeCounter(_ pin: CounterPin) throws(SealerError) { throw Self.refusal }
}
