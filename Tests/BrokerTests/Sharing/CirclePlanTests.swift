import Circle
import Cryptography
import Testing

@testable import Broker

/// When two questions about a circle are the same question, and what is kept of one.
struct CirclePlanTests {
    @Test func onlyTheSameStatementAndTheSameAnswerAreAskedForAgain() throws {
        let plans = try CirclePlan.oneOfEach()
        for (place, plan) in plans.enumerated() {
            for (other, another) in try CirclePlan.oneOfEach().enumerated() {
                // A circle that is begun has other keys each time.
                #expect(plan.repeats(another) == (place == other && plan.kind != .foundCircle), "\(place) \(other)")
                #expect(Challenge.Request.circle(plan).repeats(.circle(another)) == plan.repeats(another))
            }
        }
        let (own, other) = (try CirclePlan.request(2), try CirclePlan.request(3))
        func entrance(_ request: JoinRequest, _ answer: UInt8) throws -> CirclePlan {
            CirclePlan(deed: .join(try CirclePlan.answer(to: request, answer), request, machines: []))
        }
        #expect(try entrance(own, 1).repeats(plans[2]))
        #expect(try !entrance(own, 2).repeats(plans[2]) && !entrance(other, 1).repeats(plans[2]))
        guard case .add(let statement, let signer, let request, nil) = plans[1].deed else { return }
        let role = try Statement(
            circle: #require(statement.circle), signer: signer.device, past: statement.past,
            .addition(request.keys, .writer))
        let leaving = try Statement(
            circle: #require(statement.circle), signer: signer.device, past: statement.past, .removal([signer.device]))
        #expect(!CirclePlan(deed: .remove(leaving, signer: signer, machines: [])).repeats(plans[3]))
        #expect(!CirclePlan(deed: .add(role, signer: signer, request, evidence: nil)).repeats(plans[1]))
        // The authenticator has judged this proof, and no other.
        let proofs = [try CirclePlan.evidence(for: request, 1), try CirclePlan.evidence(for: request, 2)]
        let proven = proofs.map { CirclePlan(deed: .add(statement, signer: signer, request, evidence: $0)) }
        #expect(proven[0].repeats(proven[0]) && !proven[0].repeats(proven[1]) && !proven[0].repeats(plans[1]))
    }

    /// The membership key's password ends with the challenge. The log keeps challenges longer.
    @Test func theLogKeepsNoPassword() throws {
        for plan in try CirclePlan.oneOfEach() {
            #expect((plan.signing != nil) == (plan.kind != .joinCircle))
            guard case .circle(let kept) = Challenge.Request.circle(plan).withoutSecrets else {
                Issue.record("the log keeps another request")
                continue
            }
            #expect(kept.signing == nil && kept.kind == plan.kind)
        }
    }
}
