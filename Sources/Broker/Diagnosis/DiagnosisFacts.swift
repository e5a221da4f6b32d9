import Authorization
import BrokerProtocol
import Configuration
import TPM
import Varlink
import Vault

/// The facts that the checks judge. They contain nothing secret and nothing of other users.
struct DiagnosisFacts: Sendable {
    let configuration: Configuration
    let owner: Owner
    /// The uid that must own the registry.
    let authenticatorUID: UInt32
    /// The uid that must own the vaults: the broker's own.
    let brokerUID: UInt32
    /// nil if the owner has no vault.
    var record: RegistryRecord?
    /// nil with the software sealer.
    var sealer: Result<SealerCondition, SealerError>?
    /// The indexes that the records of all vaults name; nil if not all records can be read.
    var pinnedIndexes: Set<UInt32>?
    /// nil if it was not checked: with the software sealer, without a vault, or after an error.
    var identity: Result<Endorsement.Standing, SealerError>?
    /// Whether this boot is approved for the vault; nil if the vault is not tied to a boot.
    var boot: Result<BootStanding, Fault>?
    /// nil if the vault is not tied to a boot.
    var firmwareLog: Result<MeasurementLog, FirmwareLogError>?
    /// What the vault's tie protects in this boot; nil if there is no tie or the TPM did not answer.
    var bootCoverage: Keychain.BootCoverage?
    /// nil if the owner has no vault.
    var vault: Result<VaultCheckup, Fault>?
    let process: BrokerProcess
    /// Milliseconds since 1970-01-01 UTC.
    let now: UInt64

    var isTPMFailing: Bool { if case .failure = sealer { true } else { false } }
}

/// The result of checking the whole vault.
struct VaultCheckup: Sendable {
    /// nil if there was not enough time.
    let report: VerificationReport?
    let log: LogCheck
    /// When an item was last changed; milliseconds since 1970-01-01 UTC. 0 without items.
    let newest: UInt64

    struct LogCheck: Sendable {
        let records: Int
        let problem: String?
    }
}
