import Authorization
import BrokerProtocol
import Varlink
import Vault

extension AuthenticatorSession {
    /// Makes the key for these fingers, unless the vault has it already. The key is kept, but not in use yet.
    func provideKey(_ method: BrokerInterface.ProvideKey) async throws(Fault) -> MethodAnswer {
        let challenge = try enrolment(method.challenge)
        guard method.kind == AuthorizationKind.biometryCurrentSet.rawValue,
            challenge.enrolment.contains(.biometryCurrentSet), case .user = challenge.owner
        else { throw Fault(.brokerNotPermitted, "This challenge asks for no such key.") }
        guard let digest = Base64.decode(method.setDigest), digest.count == 32 else {
            throw Fault(.brokerInvalidArgument, "A digest of fingers has 32 bytes.")
        }
        do throws(Fault) {
            let name = try await core.vaultStore.vaultActor(of: challenge.owner).provideSetKey(
                for: challenge.id, digest)
            return .reply(BrokerInterface.ProvideKey.Reply(name: Base64.encode(name)))
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }

    /// Fingers are enrolled. If the item is bound to exactly this set of fingers, the registry names their key. The
    /// client may now repeat its call.
    func adoptFingers(_ method: BrokerInterface.Adopt) async throws(Fault) -> MethodAnswer {
        let challenge = try enrolment(method.challenge)
        do throws(Fault) {
            if challenge.enrolment.contains(.biometryCurrentSet) {
                try await core.vaultStore.vaultActor(of: challenge.owner).adoptSetKey(for: challenge.id)
            }
            do throws(ChallengeRefusal) {
                try core.challenges.finishUnsigned(challenge.id, connection: caller.connection)
            } catch { throw Self.refusal }
            return .reply(BrokerInterface.Adopt.Reply(authorizations: []))
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }

    private func enrolment(_ id: Challenge.ID) throws(Fault) -> Challenge {
        let challenge = try challenge(id)
        guard challenge.purposes == [.enrolment] else {
            throw Fault(.brokerNotPermitted, "This challenge binds no item to fingers.")
        }
        return challenge
    }
}
