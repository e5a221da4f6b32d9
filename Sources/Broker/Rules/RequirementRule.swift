import Authorization
import BrokerProtocol
import Vault

/// An item's constraint is met only by an agreement that the TPM made for this read. With "or" each constraint is a
/// way of its own. With "and" there is one way, and all of it is needed.
enum RequirementRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        let agreements = facts.agreements
        var ways: [[Challenge.Authorization]] = []
        // A call with an application password uses only the ways that need one. A call without uses only the others.
        for alternative in facts.plan.alternatives where alternative.needsApplicationPassword == facts.hasPassword {
            let missing = alternative.agreements.filter { agreements[$0.point] == nil }
            if missing.isEmpty { return .pass }
            // A person is asked for the whole way. A half that was granted earlier does not count towards another
            // way.
            var way: [Challenge.Authorization] = []
            for agreement in alternative.agreements {
                guard let kind = agreement.role.authorization else { return .refuse(Faults.notFound) }
                way.append(Challenge.Authorization(role: agreement.role, kind: kind, point: agreement.point))
            }
            ways.append(way)
        }
        return .needsPerson(ways)
    }
}
