import Authorization
import BrokerProtocol
import Varlink
import Vault

/// A rule's decision on one read.
enum Verdict: Sendable {
    case pass
    case refuse(Fault)
    /// The vault must be opened first.
    case needsOpenVault
    /// The item's requirements must be met. Any one of the ways is enough, with all of its signatures.
    case needsPerson([[Challenge.Authorization]])
}

/// The facts that rules decide on. They come from the kernel, the vault and the broker's own memory. Only what the
/// caller asks for comes from parameters.
struct ReadFacts: Sendable {
    let caller: Caller
    let vaultOwner: Owner
    /// By what right the caller reads, decided for this call.
    var standing = Standing.own
    /// The condition of the caller's own vault, if the vault is a group's; otherwise nil.
    var own: VaultCondition?
    let item: ItemSummary
    let plan: ReadPlan
    let lock: VaultActor.LockState
    /// The caller prefers a prompt for unlocking to an error.
    let mayUnlock: Bool
    /// The call has an application password. Whether it is right shows later.
    let hasPassword: Bool
    /// What is to be done with the item.
    var deed = Challenge.ItemUse.Deed.read
    /// The challenge that a person granted for this call.
    let granted: GrantedChallenge?
}

/// One rule for reading. Each has a file of its own; `ReadRules` puts them in order.
protocol ReadRule: SendableMetatype {
    static func verdict(on facts: ReadFacts) -> Verdict
}
