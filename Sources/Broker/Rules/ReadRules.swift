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
    struct Demand: Sendable {
        var purposes: [Keychain.Purpose] = []
        /// Each way has all signatures that it needs, for all purposes.
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
