import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import Varlink

/// The circle that is told of renewed keys. The person was shown its machines.
struct RenewedCircle: Equatable {
    let circle: StatementName
    let machines: [MachineName]

    /// - Throws: ``ConversationError`` if the broker describes something else besides.
    init?(_ facts: BrokerInterface.Describe.Reply) throws(ConversationError) {
        guard facts.statement == nil, facts.signer == nil, facts.request == nil, facts.evidence == nil else {
            throw CircleRequest.unclear
        }
        guard let text = facts.circle else {
            guard facts.machines == nil else { throw CircleRequest.unclear }
            return nil
        }
        let names = (facts.machines ?? []).compactMap { MachineName($0) }
        guard let circle = Hex.decode(text).flatMap(StatementName.init), names.count == facts.machines?.count,
            names.count <= CircleLimits.heads
        else { throw CircleRequest.unclear }
        (self.circle, machines) = (circle, names)
    }
}

/// Signs that a renewed vault takes its former self's place in a circle (docs/sync-members.md, “Statements”).
struct SuccessionSigner {
    let circle: RenewedCircle
    /// Of the vault that is renewed.
    let record: RegistryRecord
    let signer: Signer
    /// Checks the record that the successor is to have.
    let check: (RegistryRecord) throws(ConversationError) -> RegistryRecord

    /// The new membership key proves itself, and then the former one signs the statement.
    ///
    /// - Returns: the successor's record, which must be the registered one; nil if all was signed in an earlier
    ///   conversation.
    func sign(through broker: inout BrokerConnection) throws(ConversationError) -> RegistryRecord? {
        var found: RegistryRecord?
        for _ in 0..<2 {
            let reply = try call(
                BrokerInterface.PrepareSuccession<RegistryRecord>(challenge: signer.challenge), &broker)
            guard let signing = reply.signing, let proposal = reply.record else { return found }
            let next = try check(proposal)
            guard found == nil || found == next else { throw Self.refusal }
            found = next
            let isProof = signing.statement == nil
            try checkBytes(signing, next)
            var signer = signer
            signer.record = isProof ? next : record
            let signature: [UInt8]
            do throws(BrokerFailure) {
                signature = try signer.signature(
                    nonce: signing.nonce, parameterHash: signing.parameterHash, kind: .circle)
            } catch { throw ConversationError(error) }
            _ = try call(
                BrokerInterface.CompleteSuccession(
                    challenge: signer.challenge, signature: Base64.encode(signature)), &broker)
        }
        return found
    }

    /// Checks that exactly the succession within the circle that the person was shown is what is signed.
    private func checkBytes(
        _ signing: BrokerInterface.SuccessionSigning, _ next: RegistryRecord
    ) throws(ConversationError) {
        let expected: [UInt8]
        do {
            guard let signer = Base64.decode(signing.signer), let keys = Base64.decode(signing.keys) else {
                throw Self.refusal
            }
            let (former, new) = (try MemberKeys(bytes: signer), try MemberKeys(bytes: keys))
            guard new.areGuarded(by: next) else { throw Self.refusal }
            let proof = Statement.proofBytes(circle: circle.circle, signer: former.device, keys: new)
            if let text = signing.statement {
                guard text.utf8.count <= CircleLimits.statement * 4 / 3 + 4, let bytes = Base64.decode(text) else {
                    throw Self.refusal
                }
                let statement = try Statement(decoding: bytes)
                guard statement.circle == circle.circle, statement.signer == former.device,
                    case .succession(new, let signature) = statement.content,
                    SignedStatement.isValid(signature, for: proof, by: new.membership)
                else { throw Self.refusal }
                expected = try StatementSigning(record: record, membershipPoint: former.membership)
                    .parameterHash(ofDigest: SHA256.digest(bytes))
            } else {
                expected = try StatementSigning(record: next, membershipPoint: new.membership)
                    .parameterHash(ofDigest: SHA256.digest(proof))
            }
        } catch { throw Self.refusal }
        guard let named = Base64.decode(signing.parameterHash), ConstantTime.equal(named, expected) else {
            throw Self.refusal
        }
    }

    private func call<Method: VarlinkMethod>(
        _ method: Method, _ broker: inout BrokerConnection
    ) throws(ConversationError) -> Method.Reply {
        do throws(BrokerFailure) { return try broker.call(method, within: BrokerLimits.sealing) } catch {
            throw ConversationError(error)
        }
    }

    private static let refusal = ConversationError.refused(
        .notCompleted(
            "the broker asks for a signature over something else than the renewed keys, so the vault is as it was",
            kind: "failed"))
}
