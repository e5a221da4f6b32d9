import Authorization
import BrokerProtocol
import Varlink
import Vault

/// Checks that the fingers are enrolled that an item is to be bound to (docs/biometrics.md).
extension AuthenticatorSession {
    /// Makes the key for these fingers, unless the vault has it already. The key is kept, but not in use yet.
    func provideKey(_ method: BrokerInterface.ProvideKey) async throws(Fault) -> MethodAnswer {
        try await conduct(.provideKey, method.challenge) { (challenge) throws(Fault) in
            guard method.kind == AuthorizationKind.biometryCurrentSet.rawValue, case .user = challenge.owner else {
                throw Fault(.brokerNotPermitted, PrivateCall.provideKey.objection)
            }
            guard let digest = Base64.decode(method.setDigest), digest.count == 32 else {
                throw Fault(.brokerInvalidArgument, "a digest of fingers has 32 bytes")
            }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let name = try await vaultActor.fingers.provideSetKey(in: vaultActor, for: challenge.id, digest)
            return .reply(BrokerInterface.ProvideKey.Reply(name: Base64.encode(name)))
        }
    }

    /// Fingers are enrolled. If the item is bound to exactly this set of fingers, the registry names their key. The
    /// client may now repeat its call.
    func confirmEnrolment(_ method: BrokerInterface.ConfirmEnrolment) async throws(Fault) -> MethodAnswer {
        try await conduct(.confirmEnrolment, method.challenge) { (challenge) throws(Fault) in
            if case .enrolment(let kinds) = challenge.request, kinds.contains(.biometryCurrentSet) {
                let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
                try await vaultActor.fingers.adoptSetKey(in: vaultActor, for: challenge.id)
            }
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.confirm(challenge.id, connection: connection)
            }
            return .reply(Nothing())
        }
    }
}
