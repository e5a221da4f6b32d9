import Authorization
import BrokerProtocol
import Cryptography
import Platform
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
                in: vaultActor, for: challenge.id, by: challenge.maker, isService: challenge.isForService,
                authenticatorKey: key)
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
