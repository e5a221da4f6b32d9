import Authorization
import BrokerProtocol
import Varlink
import Vault

/// What a rule says of one read.
enum Verdict: Sendable {
    case pass
    case refuse(Fault)
    /// A person is needed for this purpose; each of the ways, with its signatures, would do.
    case needs(Keychain.Purpose, [[Challenge.Authorization]])
}

/// The facts that rules decide on. All of them from the kernel, the vault or the broker's own memory, none from a parameter but what is asked for.
struct ReadFacts: Sendable {
    let caller: Caller
    let vaultOwner: Owner
    /// By what right the caller reads, decided for this call.
    var standing = Standing.own
    /// What the caller's own vault is in, where the vault is a group's; nil elsewhere.
    var own: VaultCondition?
    let item: ItemSummary
    let plan: ReadPlan
    let lock: VaultActor.LockState
    /// The caller wants to be asked to unlock rather than to fail.
    let mayUnlock: Bool
    /// The call brought an application password; whether it is right shows later.
    let hasPassword: Bool
    /// What a person is asked for where one is needed: to read, or to change what reading takes.
    var purpose = Keychain.Purpose.read
    /// What a person granted for this very call.
    let granted: Challenge?
}

/// One policy rule of reading. Each has a file of its own; `ReadRules` puts them in order.
protocol ReadRule: SendableMetatype {
    static func verdict(on facts: ReadFacts) -> Verdict
}
