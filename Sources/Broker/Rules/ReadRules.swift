import BrokerProtocol
import Varlink

/// The rules of reading, in their order.
enum ReadRules {
    private static let all: [any ReadRule.Type] = [
        MembershipRule.self, RootRule.self, GrantRule.self, OwnVaultRule.self, AccessibilityRule.self,
        ApplicationPasswordRule.self,
        ConstraintRule.self,
    ]

    /// What is to be done: nothing more, or ask a person for all that the rules need, at once.
    struct Demand: Sendable {
        var purposes: [Keychain.Purpose] = []
        /// Each with all signatures that it takes, for all purposes.
        var ways: [[Challenge.Authorization]] = [[]]

        var isEmpty: Bool { purposes.isEmpty }
    }

    /// - Throws: the first refusal.
    static func judge(_ facts: ReadFacts) throws(Fault) -> Demand {
        var demand = Demand()
        for rule in all {
            switch rule.verdict(on: facts) {
            case .pass: continue
            case .refuse(let fault): throw fault
            case .needs(let purpose, let ways):
                demand.purposes.append(purpose)
                demand.ways = demand.ways.flatMap { way in ways.map { way + $0 } }
            }
        }
        return demand
    }
}
