import Authorization
import BrokerProtocol
import Cryptography
import Varlink
import Vault

extension AuthenticatorSession {
    /// Makes the keys and the file of a new vault. The vault is not in use yet.
    func provision(_ method: BrokerInterface.Provision<RegistryRecord>) async throws(Fault) -> MethodAnswer {
        let challenge = try creation(method.challenge)
        guard let key = Base64.decode(method.authenticatorKey), P256.isOnCurve(key) else {
            throw Fault(.brokerInvalidArgument, "The authenticator's key is no point of P-256.")
        }
        let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
        do throws(Fault) {
            let record = try await vaultActor.provision(
                for: challenge.id, isService: challenge.isForService, authenticatorKey: key)
            return .reply(BrokerInterface.Provision<RegistryRecord>.Reply(record: record))
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }

    /// The registry has the record. The broker moves the file to its final place, and the vault can be unlocked.
    func adopt(_ method: BrokerInterface.Adopt) async throws(Fault) -> MethodAnswer {
        let known = try self.challenge(method.challenge)
        if known.purposes == [.enrolment] { return try await adoptFingers(method) }
        if known.purposes == [.accept] { return try adoptAcceptance(known) }
        if known.purposes == [.rotate] { return try await adoptSuccessor(method) }
        if known.resealed != nil { return try await adoptBinding(method) }
        let challenge = try creation(method.challenge)
        let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
        do throws(Fault) {
            let vault = try await vaultActor.adopt(for: challenge.id)
            do throws(ChallengeRefusal) {
                try core.challenges.continueCreation(
                    challenge.id, connection: caller.connection, vault: vault, .unlock)
            } catch { throw Self.refusal }
            await vaultActor.note(AccessRecord(.create, by: LoggedProgram.of(challenge)))
            return .reply(BrokerInterface.Adopt.Reply(authorizations: SignatureChoice.unlock.wire))
        } catch {
            core.challenges.drop(challenge.id)
            throw error.forAuthenticator
        }
    }

    /// The owner has consented, and the authenticator has verified root. Root's client may now repeat its call.
    private func adoptAcceptance(_ challenge: Challenge) throws(Fault) -> MethodAnswer {
        do throws(ChallengeRefusal) {
            try core.challenges.finishUnsigned(challenge.id, connection: caller.connection)
        } catch { throw Self.refusal }
        return .reply(BrokerInterface.Adopt.Reply(authorizations: []))
    }

    private func creation(_ id: Challenge.ID) throws(Fault) -> Challenge {
        let challenge = try challenge(id)
        guard challenge.purposes.contains(.create), challenge.vault == nil else {
            throw Fault(.brokerNotPermitted, "This challenge makes no vault.")
        }
        return challenge
    }
}
