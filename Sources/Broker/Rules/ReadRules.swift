import Authorization
import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// The rules for reading, in their order.
enum ReadRules {
    private static let all: [any ReadRule.Type] = [
        MembershipRule.self, RootRule.self, GrantRule.self, OwnVaultRule.self, AccessibilityRule.self,
        ApplicationPasswordRule.self,
        RequirementRule.self,
    ]

    /// What is left to do: nothing, or one request to a person for everything that the rules need.
    struct Missing: Sendable, Equatable {
        var unlocks = false
        /// The ways to meet the item's requirements; nil if nothing is missing there.
        var ways: [[Challenge.Authorization]]?

        var isEmpty: Bool { !unlocks && ways == nil }

        func request(_ deed: Challenge.ItemUse.Deed, _ subject: Challenge.Subject) -> Challenge.Request {
            guard let ways else { return .vault(.unlock) }
            return .use(Challenge.ItemUse(deed: deed, subject: subject, ways: ways), unlocks: unlocks)
        }
    }

    /// - Throws: the first refusal.
    static func judge(_ facts: ReadFacts) throws(Fault) -> Missing {
        var missing = Missing()
        for rule in all {
            switch rule.verdict(on: facts) {
            case .pass: continue
            case .refuse(let fault): throw fault
            case .needsOpenVault: missing.unlocks = true
            case .needsPerson(let ways): missing.ways = ways
            }
        }
        return missing
    }
}

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
    /// The fields that are read.
    var fields = [FieldName.secret]
    let plan: ReadPlan
    let lock: VaultActor.LockState
    /// The caller prefers a prompt for unlocking to an error.
    let mayUnlock: Bool
    /// The call has an application password. Whether it is right shows later.
    let hasPassword: Bool
    /// What is to be done with the item.
    var deed = Challenge.ItemUse.Deed.read
    /// All that the call reads, in its order; nil for a call about one item.
    var together: [Challenge.Target]?
    /// What a call for several items does with them.
    enum JointUse: Sendable {
        case read
        /// It gives out no secret, and asks for a lease.
        case lease
        /// It gives out no secret, and makes other machines able to read them.
        case release
    }
    var jointUse = JointUse.read
    /// The challenge that a person granted for this call.
    let granted: GrantedChallenge?

    var target: Challenge.Target { Challenge.Target(item: item.id, fields: fields) }

    /// What the TPM agreed on.
    var agreements: Agreements { granted?.grant.agreements ?? [:] }
}

/// One rule for reading. Each has a file of its own; `ReadRules` puts them in order.
protocol ReadRule: SendableMetatype {
    static func verdict(on facts: ReadFacts) -> Verdict
}
