import Configuration
import Logging
import Vault

/// The objects that all calls share. This struct never changes; its parts change and guard themselves.
struct BrokerCore: Sendable {
    let configuration: Configuration
    let sealer: any Sealer
    let sealerThread: SealerThread
    let vaultStore: VaultStore
    let vaultAccess: VaultAccess
    let challenges: ChallengeStore
    let maker: SealerMaker
    let locks: LockWatch
    let applicationPasswords: ApplicationPasswords
    /// Counts each user's use of shared resources.
    let budgets: UserBudgets
    let diagnoses = RunningDiagnoses()
    /// Warnings for people about settings that weaken the guarantees.
    let warnings: [String]
    let logger: Logger
}
