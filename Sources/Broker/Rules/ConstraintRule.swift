import Authorization
import BrokerProtocol
import Vault

/// A constraint of an item is met by an agreement of the TPM's that was made for this very read, and by nothing else. With “or” each constraint is a way of
/// its own; with “and” there is one way, and all of it is needed.
enum ConstraintRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        let agreements = facts.granted?.agreements ?? [:]
        var ways: [[Challenge.Authorization]] = []
        // The ways with an application password are for calls that bring one, and the others for those that do not.
        for alternative in facts.plan.alternatives where alternative.needsApplicationPassword == facts.hasPassword {
            let missing = alternative.agreements.filter { agreements[$0.role] == nil }
            if missing.isEmpty { return .pass }
            // What a person is asked for is the whole way: half of one that was granted before is no step of another.
            var way: [Challenge.Authorization] = []
            for agreement in alternative.agreements {
                guard let kind = agreement.role.authorization else { return .refuse(Faults.notFound) }
                way.append(Challenge.Authorization(role: agreement.role, kind: kind, point: agreement.point))
            }
            ways.append(way)
        }
        return .needs(facts.purpose, ways)
    }
}
