import Authorization
import BrokerProtocol
import Configuration
import TPM
import Varlink
import Vault

/// What was found out before the checks say what it means. Nothing of it is another user's, and nothing is secret.
struct DiagnosisFacts: Sendable {
    let configuration: Configuration
    let owner: Owner
    /// The uid that the registry must belong to.
    let authenticatorUID: UInt32
    /// The uid that the vaults must belong to: the broker's own.
    let brokerUID: UInt32
    /// nil where the owner has no vault.
    var record: RegistryRecord?
    /// nil with the software sealer.
    var sealer: Result<SealerCondition, SealerError>?
    /// The indexes that the records of all vaults name; nil where not all records can be read.
    var pinnedIndexes: Set<UInt32>?
    /// nil where it was not asked: with the software sealer, without a vault, after an error.
    var identity: Result<Endorsement.Standing, SealerError>?
    /// How this boot stands to the vault; nil where it is tied to none.
    var boot: Result<BootStanding, Fault>?
    /// nil where the vault is tied to no boot.
    var firmwareLog: Result<MeasurementLog, FirmwareLogError>?
    /// What the vault's tie holds of this boot; nil where it is tied to none, or the TPM did not answer.
    var bootCoverage: Keychain.BootCoverage?
    /// nil where the owner has no vault.
    var vault: Result<VaultCheckup, Fault>?
    let process: BrokerProcess
    /// Milliseconds since 1970-01-01 UTC.
    let now: UInt64

    var isTPMFailing: Bool { if case .failure = sealer { true } else { false } }
}

/// What a look at the whole vault came to.
struct VaultCheckup: Sendable {
    /// nil where there was not enough time.
    let report: VerificationReport?
    let log: LogCheck
    /// When an item was last changed; milliseconds since 1970-01-01 UTC. 0 without items.
    let newest: UInt64

    struct LogCheck: Sendable {
        let records: Int
        let problem: String?
    }
}
