import Authorization
import BrokerProtocol
import RootConfiguration
import Synchronization
import TPM
import Varlink
import Vault

/// One of the broker's checks for `coffer doctor`. Checks of one subject share a file; ``Diagnosis`` lists them in order.
protocol DiagnosisCheck: SendableMetatype {
    /// - Returns: nothing if the check does not apply here, or if an earlier check has reported the reason.
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding]
}

/// All of the broker's checks, in the order in which `coffer doctor` reports them.
enum Diagnosis {
    static let checks: [any DiagnosisCheck.Type] = [
        TPMCheck.self, TPMIndexCheck.self, TPMAccessCheck.self, TPMIdentityCheck.self, StorageKeyCheck.self,
        MeasuredBootCheck.self,
        UnitCheck.self, FilesCheck.self, AccountCheck.self, SigningKeyCheck.self, SocketsCheck.self, PAMCheck.self,
        ClockCheck.self, RollbackCheck.self,
        VerificationCheck.self,
    ]

    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] { checks.flatMap { $0.findings(facts) } }
}

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
    /// The files and records of all vaults; nil if they were not looked at.
    var inventory: VaultInventory?
    /// Whether root asks, who hears of all vaults.
    var isRoots = false
    var isUnlocked = false
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

    /// Whether the owner's file and record are there and do not belong together. FilesCheck reports that, and what else
    /// is said of the record would be wrong.
    var isTorn: Bool { inventory?.gaps.contains { $0.isTorn && $0.owner == owner } ?? false }

    var isVaultFailing: Bool { if case .failure = vault { true } else { false } }

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

/// Allows each user one diagnosis at a time. It also keeps the TPM's identity, because checking it takes long and it
/// does not change.
final class RunningDiagnoses: Sendable {
    private struct State {
        var busy: Set<UInt32> = []
        var identity: Endorsement.Standing?
    }

    private let state = Mutex(State())

    /// - Returns: false if a diagnosis of this user is running already.
    func begin(_ uid: UInt32) -> Bool { state.withLock { $0.busy.insert(uid).inserted } }

    func end(_ uid: UInt32) { state.withLock { _ = $0.busy.remove(uid) } }

    /// The last result; nil if there is none since the broker started, or another TPM was found since.
    var identity: Endorsement.Standing? { state.withLock { $0.identity } }

    func note(_ standing: Endorsement.Standing) { state.withLock { $0.identity = standing } }

    /// Notes that the identity could not be checked. A TPM that has no time for one user's diagnosis is the same one.
    func note(_ failure: SealerError) {
        if failure.code == .replaced { state.withLock { $0.identity = nil } }
    }
}
