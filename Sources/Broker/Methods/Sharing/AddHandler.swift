import BrokerProtocol
import Circle
import Cryptography
import Platform
import Varlink
import Vault

/// `Add`: adds the machine of a request. The person is asked, and the authenticator compares the code.
enum AddHandler: SharingHandler {
    typealias Method = Sync.Add

    static func reply(to method: Sync.Add, _ request: Request) async throws(Fault) -> MethodAnswer {
        try await SharingPrecondition.checkDecidesUnlocked(request)
        let code = try SharingWire.code(method.code)
        let place = try SharingWire.cryptography { () throws(CryptographyError) in try code.place }
        guard let text = method.request else {
            return .reply(Sync.Add.Reply(path: StorePath.request(place).text))
        }
        let wanted = try opened(text, code)
        let role = try method.role.map { (text) throws(Fault) in try SharingWire.role(text) }
        let evidence = try method.evidence.map { (text) throws(Fault) in try proof(text, code, of: wanted) }
        if let granted = try request.redeem(method.challenge) {
            guard case .circle(let plan) = granted.request, case .add(_, _, wanted, _) = plan.deed,
                let signature = granted.grant.key
            else { throw Faults.challengeRefused }
            try await request.vaultActor.sharing.add(in: request.vaultActor, plan, signature)
            let means = granted.grant.means.map { ", \($0.detail)" } ?? ""
            await request.vaultActor.note(
                AccessRecord(.share, by: request.program(granted), detail: "\(wanted.name.text) was added" + means),
                .anchored)
        } else if let plan = try await request.vaultActor.sharing.addition(
            in: request.vaultActor, of: wanted, as: role ?? usualRole(request), evidence)
        {
            throw try request.ask(for: .circle(plan), vault: await request.vaultActor.vaultID())
        }
        let answer = try await request.vaultActor.sharing.answer(in: request.vaultActor, to: wanted)
        let sealed = try SharingWire.cryptography { () throws(CryptographyError) in
            try AESGCM.seal(SecretBytes(copying: answer.bytes), key: code.answerKey, associatedData: place.bytes)
        }
        return .reply(
            Sync.Add.Reply(
                path: StorePath.request(place).text,
                answer: Sync.File(path: StorePath.answer(place).text, content: Base64.encode(sealed)),
                name: wanted.name.text, words: try SharingWire.words(answer.circle, wanted)))
    }

    /// Of a thousand servers, the weakest one must not own the others. So a machine of a service only reads, unless root says
    /// something else.
    ///
    /// - Returns: nil for a person's machine. Then its keys decide.
    private static func usualRole(_ request: Request) -> MemberRole? {
        request.admission.standing == .root ? .reader : nil
    }

    /// The authenticator judges it. What is no evidence for this request is told at once.
    private static func proof(
        _ text: String, _ code: JoinCode, of request: JoinRequest
    ) throws(Fault) -> JoinEvidence {
        do {
            let evidence = try JoinEvidence(decoding: code.open(Base64.decode(text) ?? [], .evidence))
            guard evidence.request == request.digest else { throw CircleFormError.place }
            return evidence
        } catch {
            throw Fault(
                .invalidArgument, "that is not the proof of the machine with this code",
                advice: "have the new machine run again: coffer sync join FOLDER")
        }
    }

    static func logged(_ method: Sync.Add) -> LoggedCall? { LoggedCall(event: .share) }

    private static func opened(_ text: String, _ code: JoinCode) throws(Fault) -> JoinRequest {
        let refusal = Fault(
            .invalidArgument, "that is not the request of this code", advice: "have the new machine make another one")
        guard let sealed = Base64.decode(text) else { throw refusal }
        do throws(CircleFormError) { return try code.openRequest(sealed) } catch { throw refusal }
    }
}
