import Authorization
import Circle
import Cryptography
import Varlink
import Vault

/// A vault that shares its items stays in its circle: the other machines are told who succeeds it (docs/rotation.md,
/// “In a circle”).
extension VaultRenewal {
    /// Something that the membership key of the vault, or of its successor, is to sign.
    struct CircleSigning: Sendable {
        let use: SignedUse
        let material: SealingMaterial
        /// nil if it is the proof of the new membership key.
        let statement: Statement?
        let succession: CircleSuccession
        /// The keys of the vault that is renewed.
        let signer: MemberKeys
        /// The record that the registry is to have.
        let record: RegistryRecord
    }

    /// Makes the successor's keys for the circle. Its class keys are known now, and not again before it is proven.
    ///
    /// - Parameter unlockRoot: the successor's.
    func makeCircleKeys(
        in vaultActor: isolated VaultActor, for challenge: Challenge, unlockRoot: SecretBytes
    ) async throws(Fault) {
        guard let renewal, renewal.challenge == challenge.id, let state = vaultActor.open else {
            throw Faults.challengeRefused
        }
        guard try vaultActor.step({ () throws(VaultError) in try state.vault.hasCircle }) else { return }
        let own = try vaultActor.step { () throws(VaultError) in try state.vault.signatory(state.keys) }
        let successor = renewal.successor
        let (classKeys, secrets) = try Self.write { () throws(VaultError) in
            let classKeys = try successor.classKeys(unlockRoot: unlockRoot)
            return (classKeys, try successor.newCircleSecrets(classKeys))
        }
        let pair: SigningKeyPair
        do throws(SealerError) {
            pair = try await vaultActor.dependencies.sealer.makeSigningKeys(
                streamPassword: secrets.streamPassword, membershipPassword: secrets.membershipPassword,
                record: renewal.succession.record)
        } catch { throw Fault(error) }
        guard self.renewal?.challenge == challenge.id, vaultActor.open?.record == state.record else {
            throw Faults.challengeRefused
        }
        let succession = try Self.write { () throws(VaultError) in
            let keys = try successor.memberKeys(
                membershipPoint: pair.membershipPoint, streamPoint: pair.streamPoint, secrets, classKeys)
            let succession = CircleSuccession(
                circle: own.circle, signer: own.keys.device, keys: keys,
                signingKeys: CircleSigningKeys(stream: pair.stream, membership: pair.membership))
            try successor.note(succession)
            return succession
        }
        self.renewal?.membershipPassword = secrets.membershipPassword
        self.renewal?.circle = try vaultActor.step { () throws(VaultError) in
            try state.vault.circleSuccessor(succession, state.keys)
        }
    }

    /// Whether a successor that an earlier session left has the keys that the vault's circle asks for.
    func followsCircle(in vaultActor: isolated VaultActor) throws(Fault) -> Bool {
        guard let renewal, let state = vaultActor.open else { throw Faults.challengeRefused }
        let found = try Self.write { () throws(VaultError) in try renewal.successor.circleSuccession }
        guard try vaultActor.step({ () throws(VaultError) in try state.vault.hasCircle }) else { return found == nil }
        let own = try vaultActor.step { () throws(VaultError) in try state.vault.signatory(state.keys) }
        guard let found, found.circle == own.circle, found.signer == own.keys.device,
            found.proof != nil || renewal.membershipPassword != nil
        else { return false }
        self.renewal?.circle = try vaultActor.step { () throws(VaultError) in
            try state.vault.circleSuccessor(found, state.keys)
        }
        return true
    }

    /// What is to be signed next for the circle: first the proof of the new membership key, then the statement.
    ///
    /// - Returns: nil without a circle, and once all is signed.
    func circleSigning(
        in vaultActor: isolated VaultActor, for challenge: Challenge.ID
    ) throws(Fault) -> CircleSigning? {
        guard let renewal, renewal.challenge == challenge, renewal.offer == nil, let state = vaultActor.open else {
            throw Faults.challengeRefused
        }
        guard try vaultActor.step({ () throws(VaultError) in try state.vault.hasCircle }) else { return nil }
        let found = try Self.write { () throws(VaultError) in try renewal.successor.circleSuccession }
        guard let succession = found else { throw Faults.challengeRefused }
        let own = try vaultActor.step { () throws(VaultError) in try state.vault.signatory(state.keys) }
        guard succession.proof != nil else {
            guard let password = renewal.membershipPassword else { throw Faults.challengeRefused }
            return CircleSigning(
                use: .sign(
                    succession.membership, point: succession.keys.membership,
                    digest: try Self.digest(succession.proofBytes), password: password),
                material: SealingMaterial(objects: renewal.successor.objects, record: renewal.succession.record),
                statement: nil, succession: succession, signer: own.keys, record: renewal.succession.record)
        }
        guard succession.signed == nil else { return nil }
        let statement = try vaultActor.step { () throws(VaultError) in
            try state.vault.statement(succession, state.keys)
        }
        self.renewal?.statement = statement
        return CircleSigning(
            use: .sign(
                own.key, point: own.keys.membership, digest: try Self.digest(statement.bytes), password: own.password),
            material: SealingMaterial(objects: state.vault.objects, record: state.record),
            statement: statement, succession: succession, signer: own.keys, record: renewal.succession.record)
    }

    /// The work of ``take(in:_:for:)``.
    func noteSignature(
        in vaultActor: isolated VaultActor, _ signature: SecretBytes, for challenge: Challenge.ID
    ) throws(Fault) {
        guard let renewal, renewal.challenge == challenge, renewal.offer == nil, let state = vaultActor.open,
            var succession = try Self.write({ () throws(VaultError) in try renewal.successor.circleSuccession })
        else { throw Faults.challengeRefused }
        let bytes = signature.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        let (own, statement) = (
            try vaultActor.step { () throws(VaultError) in try state.vault.signatory(state.keys) }, renewal.statement
        )
        let isProof = succession.proof == nil
        guard isProof || statement != nil else { throw Faults.challengeRefused }
        try Self.write { () throws(VaultError) in
            if isProof {
                try succession.take(proof: bytes)
            } else if let statement {
                try succession.take(signature: bytes, of: statement, by: own.keys)
            }
            try renewal.successor.note(succession)
        }
        if isProof { self.renewal?.membershipPassword = nil } else { self.renewal?.statement = nil }
    }

    /// Whether nothing is left to say to the circle. There is nothing without one.
    func isReadyToLeave(
        _ renewal: Renewal, of state: VaultActor.OpenState, in vaultActor: isolated VaultActor
    ) throws(Fault) -> Bool {
        try vaultActor.step { () throws(VaultError) in
            guard try state.vault.hasCircle else { return true }
            return try renewal.farewell.map { (farewell) throws(VaultError) in try state.vault.isWhole(farewell) }
                ?? false
        }
    }

    /// Makes the last records of the vault's device: all that waits, and who succeeds it. Only the successor keeps them.
    func sayFarewell(
        _ renewal: Renewal, of state: VaultActor.OpenState, in vaultActor: isolated VaultActor
    ) async throws(Fault) {
        let found = try Self.write { () throws(VaultError) in try renewal.successor.circleSuccession }
        guard let signed = found?.signed else { throw Faults.challengeRefused }
        let prepared: PreparedRecords
        do throws(Fault) {
            prepared = try vaultActor.step { () throws(VaultError) in
                _ = try state.vault.takeIn(heads: [], segments: [], state.keys)
                return try state.vault.farewell(signed, state.keys)
            }
        } catch {
            // Another statement has to be signed, by the next session.
            if let succession = found?.unsigned {
                try Self.write { () throws(VaultError) in try renewal.successor.note(succession) }
            }
            throw error
        }
        let signing = prepared.signing
        let digest = try vaultActor.step { () throws(VaultError) in try prepared.digest }
        let signature: [UInt8]
        do throws(SealerError) {
            signature = try await vaultActor.dependencies.sealer.sign(
                digest, with: signing.key, point: signing.point, password: signing.password, record: state.record)
        } catch { throw Fault(error) }
        let farewell = try Self.write { () throws(VaultError) in try CircleFarewell(prepared, signature: signature) }
        guard self.renewal?.challenge == renewal.challenge, vaultActor.open?.record == state.record else {
            throw Faults.challengeRefused
        }
        self.renewal?.farewell = farewell
    }

    private static func digest(_ bytes: [UInt8]) throws(Fault) -> [UInt8] {
        do throws(CryptographyError) { return try SHA256.digest(bytes) } catch {
            throw Fault(.failed, "the statement cannot be digested")
        }
    }
}
