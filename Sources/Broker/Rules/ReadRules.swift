import BrokerProtocol
import Varlink

/// The rules for reading, in their order.
enum ReadRules {
    private static let all: [any ReadRule.Type] = [
        MembershipRule.self, RootRule.self, GrantRule.self, OwnVaultRule.self, AccessibilityRule.self,
        ApplicationPasswordRule.self,
        ConstraintRule.self,
    ]

    /// What is left to do: nothing, or one request to a person for everything that the rules need.
    struct Missing: Sendable, Equatable {
        var unlocks = false
        /// The ways to meet the item's requirements; nil if nothing is missing there.
        var ways: [[Challenge.Authorization]]?

        var isEmpty: Bool { !unlocks && ways == nil }

        func request(_ deed: Challenge.ItemUse.Deed, _ subject: Challenge.Subject) -> Challenge.Request {
            guard let ways else { return .unlock }
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
