import Authorization
import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// Makes a vault, and accepts one whose file root takes for the newest.
extension AuthenticatorSession {
    /// Makes the keys and the file of a new vault. The vault is not in use yet.
    func provision(_ method: BrokerInterface.Provision<RegistryRecord>) async throws(Fault) -> MethodAnswer {
        try await conduct(.provision, method.challenge) { (challenge) throws(Fault) in
            guard let key = Base64.decode(method.authenticatorKey), P256.isOnCurve(key) else {
                throw Fault(.brokerInvalidArgument, "the authenticator's key is no point of P-256")
            }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let record = try await vaultActor.creation.provision(
                in: vaultActor, for: challenge.id, isService: challenge.isForService, authenticatorKey: key)
            return .reply(BrokerInterface.Provision<RegistryRecord>.Reply(record: record))
        }
    }

    /// The registry has the record. The broker moves the file to its final place, and the vault can be unlocked.
    func adoptVault(_ method: BrokerInterface.AdoptVault) async throws(Fault) -> MethodAnswer {
        try await conduct(.adoptVault, method.challenge) { (challenge) throws(Fault) in
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let vault = try await vaultActor.creation.adopt(in: vaultActor, for: challenge.id)
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.makeVault(vault, for: challenge.id, connection: connection)
            }
            await vaultActor.note(AccessRecord(.create, by: LoggedProgram.of(challenge)))
            return .reply(BrokerInterface.AdoptVault.Reply(authorizations: SignatureChoice.unlock.wire))
        }
    }

    /// The owner has consented, and the authenticator has verified root. Root's client may now repeat its call.
    func confirmAcceptance(_ method: BrokerInterface.ConfirmAcceptance) async throws(Fault) -> MethodAnswer {
        try await conduct(.confirmAcceptance, method.challenge) { (challenge) throws(Fault) in
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.confirm(challenge.id, connection: connection)
            }
            return .reply(Nothing())
        }
    }
}
