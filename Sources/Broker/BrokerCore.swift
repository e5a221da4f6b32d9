import Configuration
import Logging
import Vault

/// What all calls share. Immutable; what changes is in its parts, each of which guards itself.
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
    /// What each user holds of what all of them share.
    let budgets: UserBudgets
    let diagnoses = RunningDiagnoses()
    /// What weakens the guarantees here, for people to read.
    let warnings: [String]
    let logger: Logger
}
