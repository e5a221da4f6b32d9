import Authorization
import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// Renews all keys of a vault (docs/rotation.md).
extension AuthenticatorSession {
    /// The person agreed and the vault is open. Makes the successor, or continues with an existing one.
    func renew(_ method: BrokerInterface.Renew) async throws(Fault) -> MethodAnswer {
        let challenge = try rotation(method.challenge)
        do throws(Fault) {
            guard let key = Base64.decode(method.authenticatorKey), P256.isOnCurve(key) else {
                throw Fault(.brokerInvalidArgument, "The authenticator's key is no point of P-256.")
            }
            var binding: (pin: SecretBytes, salt: [UInt8])?
            if let pin = try Self.pin(method.pin) {
                guard let salt = method.salt.flatMap(Base64.decode), salt.count == BindingPin.saltCount else {
                    throw Fault(.brokerInvalidArgument, "A salt has \(BindingPin.saltCount) bytes.")
                }
                binding = (pin, salt)
            }
            // Only the signature for opening the vault shows that the person agreed.
            guard challenge.choice.authorizations.contains(where: { $0.role == .unlockRoot && $0.progress == .done })
            else { throw Self.refusal }
            do throws(ChallengeRefusal) {
                try core.challenges.beginRenewal(challenge.id, connection: caller.connection)
            } catch { throw Self.refusal }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            try await vaultActor.renew(for: challenge, authenticatorKey: key, binding: binding)
            return .reply(Nothing())
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }

    /// All signatures are there. Fills the successor. When no item is left, its record is offered to the registry.
    func succeed(_ method: BrokerInterface.Succeed<RegistryRecord>) async throws(Fault) -> MethodAnswer {
        let challenge = try rotation(method.challenge)
        do throws(Fault) {
            guard challenge.choice.isComplete else { throw Self.refusal }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let (record, items) = try await vaultActor.succeed(for: challenge, over: caller.connection)
            for item in items { core.applicationPasswords.succeeded(at: item, by: challenge.uid) }
            do throws(ChallengeRefusal) {
                if record == nil {
                    try core.challenges.finishRenewal(
                        challenge.id, connection: caller.connection, RenewalOutcome(items: nil, isRevoked: false))
                } else {
                    try core.challenges.continueRenewal(challenge.id, connection: caller.connection)
                }
            } catch { throw Self.refusal }
            return .reply(BrokerInterface.Succeed<RegistryRecord>.Reply(record: record))
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }

    /// The registry names the successor.
    func adoptSuccessor(_ method: BrokerInterface.Adopt) async throws(Fault) -> MethodAnswer {
        let challenge = try rotation(method.challenge)
        do throws(Fault) {
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let outcome = try await vaultActor.adoptSuccessor(for: challenge.id)
            if case .user(let uid) = challenge.owner { core.locks.idle.unlocked(uid) }
            do throws(ChallengeRefusal) {
                try core.challenges.finishRenewal(challenge.id, connection: caller.connection, outcome)
            } catch { throw Self.refusal }
            return .reply(BrokerInterface.Adopt.Reply(authorizations: []))
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }

    private func rotation(_ id: Challenge.ID) throws(Fault) -> Challenge {
        let challenge = try challenge(id)
        guard challenge.purposes == [.rotate] else {
            throw Fault(.brokerNotPermitted, "This challenge renews no keys.")
        }
        return challenge
    }
}
