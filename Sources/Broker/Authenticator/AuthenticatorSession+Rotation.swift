import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Varlink
import Vault

/// Renews all keys of a vault (docs/rotation.md).
extension AuthenticatorSession {
    /// The person agreed and the vault is open. Makes the successor, or continues with an existing one.
    func renew(_ method: BrokerInterface.Renew) async throws(Fault) -> MethodAnswer {
        try await conduct(.renew, method.challenge) { (challenge) throws(Fault) in
            guard let key = Base64.decode(method.authenticatorKey), P256.isOnCurve(key) else {
                throw Fault(.brokerInvalidArgument, "the authenticator's key is no point of P-256")
            }
            var binding: (pin: SecretBytes, salt: [UInt8])?
            if let pin = try Self.pin(method.pin) {
                guard let salt = method.salt.flatMap(Base64.decode), salt.count == BindingPin.saltCount else {
                    throw Fault(.brokerInvalidArgument, "a salt has \(BindingPin.saltCount) bytes")
                }
                binding = (pin, salt)
            }
            // Only the signature for opening the vault shows that the person agreed.
            guard challenge.choice.authorizations.contains(where: { $0.role == .unlockRoot && $0.progress == .done })
            else { throw Self.refusal }
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.beginRenewal(challenge.id, connection: connection)
            }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            try await vaultActor.renewal.begin(
                in: vaultActor, for: challenge, authenticatorKey: key, binding: binding)
            return .reply(Nothing())
        }
    }

    /// Begins the use of a membership key: what the circle is told is signed by the vault's key and by the successor's.
    func prepareSuccession(
        _ method: BrokerInterface.PrepareSuccession<RegistryRecord>
    ) async throws(Fault) -> MethodAnswer {
        try await conduct(.prepareSuccession, method.challenge) { (challenge) throws(Fault) in
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            guard let signing = try await vaultActor.renewal.circleSigning(in: vaultActor, for: challenge.id) else {
                return .reply(BrokerInterface.PrepareSuccession<RegistryRecord>.Reply())
            }
            let exchange: SigningExchange
            do throws(SealerError) {
                exchange = try await core.sealer.serving(.user(challenge.uid)).begin(
                    signing.use, with: signing.material, waiting: core.vaultStore.dependencies.signatureTime)
            } catch { throw Fault(error) }
            guard core.challenges.isOpen(challenge.id) else {
                exchange.cancel()
                throw Self.refusal
            }
            exchanges.insert(exchange, challenge.id, Self.succession, connection: caller.connection)
            return .reply(
                BrokerInterface.PrepareSuccession<RegistryRecord>.Reply(
                    record: signing.record,
                    signing: BrokerInterface.SuccessionSigning(
                        signer: Base64.encode(signing.signer.bytes), keys: Base64.encode(signing.succession.keys.bytes),
                        statement: signing.statement.map { Base64.encode($0.bytes) },
                        nonce: Base64.encode(exchange.request.nonce),
                        parameterHash: Base64.encode(exchange.request.parameterHash))))
        }
    }

    /// No authorization has this number.
    private static let succession = -1

    /// Takes the signature that the last `PrepareSuccession` was for.
    func completeSuccession(_ method: BrokerInterface.CompleteSuccession) async throws(Fault) -> MethodAnswer {
        try await conduct(.completeSuccession, method.challenge) { (challenge) throws(Fault) in
            guard let exchange = exchanges.take(challenge.id, Self.succession, connection: caller.connection) else {
                throw Self.refusal
            }
            guard let signature = Base64.decode(method.signature), signature.count == 64 else {
                exchange.cancel()
                throw Fault(.brokerInvalidArgument, "a signature has 64 bytes")
            }
            let made: SecretBytes?
            do throws(SealerError) { made = try await exchange.finish(signature: signature, pin: nil) } catch {
                throw Fault(error)
            }
            guard let made else { throw Fault(.brokerChallengeRefused, "the signature came too late") }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            try await vaultActor.renewal.take(in: vaultActor, made, for: challenge.id)
            return .reply(Nothing())
        }
    }

    /// All signatures are there. Fills the successor. When no item is left, its record is offered to the registry.
    func succeed(_ method: BrokerInterface.Succeed<RegistryRecord>) async throws(Fault) -> MethodAnswer {
        try await conduct(.succeed, method.challenge) { (challenge) throws(Fault) in
            guard challenge.choice.isComplete else { throw Self.refusal }
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let (record, items) = try await vaultActor.renewal.succeed(
                in: vaultActor, for: challenge, over: caller.connection)
            for item in items { core.applicationPasswords.succeeded(at: item, by: challenge.uid) }
            try step { (challenges, connection) throws(ChallengeRefusal) in
                if record == nil {
                    try challenges.finishRenewal(
                        challenge.id, connection: connection, RenewalOutcome(items: nil, isRevoked: false))
                } else {
                    try challenges.fillSuccessor(challenge.id, connection: connection)
                }
            }
            return .reply(BrokerInterface.Succeed<RegistryRecord>.Reply(record: record))
        }
    }

    /// The registry names the successor.
    func adoptSuccessor(_ method: BrokerInterface.AdoptSuccessor) async throws(Fault) -> MethodAnswer {
        try await conduct(.adoptSuccessor, method.challenge) { (challenge) throws(Fault) in
            let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
            let outcome = try await vaultActor.renewal.adoptSuccessor(in: vaultActor, for: challenge.id)
            if case .user(let uid) = challenge.owner { core.locks.idle.unlocked(uid) }
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.finishRenewal(challenge.id, connection: connection, outcome)
            }
            return .reply(Nothing())
        }
    }
}
