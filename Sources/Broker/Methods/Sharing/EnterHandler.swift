import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import Varlink
import Vault

/// `Enter`: enters the circle of an answer. The person compares the check words first.
enum EnterHandler: SharingHandler {
    typealias Method = Sync.Enter

    static func reply(to method: Sync.Enter, _ request: Request) async throws(Fault) -> MethodAnswer {
        try await SharingPrecondition.checkDecidesUnlocked(request)
        let answer = try await opened(method.answer, request)
        let (plan, membership) = try await request.vaultActor.sharing.entrance(in: request.vaultActor, answer)
        guard let own = plan.request else { throw Faults.challengeRefused }
        guard let granted = try request.redeem(method.challenge) else {
            throw try request.ask(for: .circle(plan), vault: await request.vaultActor.vaultID())
        }
        guard case .circle(let agreed) = granted.request, agreed.repeats(plan) else { throw Faults.challengeRefused }
        try await request.vaultActor.sharing.enter(in: request.vaultActor, answer, own.name)
        await request.vaultActor.note(
            AccessRecord(.share, by: request.program(granted), detail: "a circle was entered"), .anchored)
        return .reply(
            Sync.Enter.Reply(
                circle: Hex.encode(answer.circle.bytes), words: try SharingWire.words(answer.circle, own),
                machines: membership.members.filter { $0.role != .paper }.map { member in
                    let profile = answer.profiles.first { $0.device == member.keys.device }?.profile
                    return Sync.Machine(
                        device: Hex.encode(member.keys.device.bytes), name: profile?.name.text, role: member.role.text,
                        protection: profile?.protection.text, own: member.keys == own.keys)
                }))
    }

    static func logged(_ method: Sync.Enter) -> LoggedCall? { LoggedCall(event: .share) }

    private static func opened(_ text: String, _ request: Request) async throws(Fault) -> JoinAnswer {
        let (hasCircle, own) = try await request.vaultActor.use { (try $0.vault.hasCircle, try $0.vault.joinRequest) }
        // Before anybody is asked, because the answer would be in vain.
        guard !hasCircle else { throw Faults.hasCircle }
        guard let own else {
            throw Fault(
                .notFound, "this machine has made no request to join", advice: "make one with: coffer sync join FOLDER")
        }
        let refusal = Fault(
            .invalidArgument, "that is no answer to the request of this machine",
            advice: "add this machine again at the other one, with: coffer sync add")
        guard let sealed = Base64.decode(text) else { throw refusal }
        let code = try SharingWire.form { () throws(CircleFormError) in try JoinCode(of: own) }
        do throws(CircleFormError) { return try code.openAnswer(sealed) } catch { throw refusal }
    }
}
