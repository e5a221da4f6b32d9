import Authorization
import BrokerProtocol
import Varlink
import Vault

/// Changes the key of the enrolled fingers. The file changes first, then root's registry, then the vault in use. A
/// crash in between leaves a key that nobody uses.
struct FingerEnrolment: Sendable {
    /// The key for these fingers, made if needed.
    /// - Returns: the key's Name.
    func provideSetKey(
        in vaultActor: isolated VaultActor, for challenge: Challenge.ID, _ digest: [UInt8]
    ) async throws(Fault) -> [UInt8] {
        try vaultActor.begin(.enrolment, for: challenge)
        let state = try await vaultActor.opened()
        if state.record.biometrySet == digest, state.vault.hasSetKey,
            let name = state.record.objects[.biometryCurrentSet]
        {
            return name
        }
        let made: (SealedObject, name: [UInt8])
        do throws(SealerError) {
            made = try await vaultActor.dependencies.sealer.makeSetKey(digest, record: state.record)
        } catch { throw Fault(error) }
        // The challenge may have ended while the TPM worked.
        guard vaultActor.isUnderWay(for: challenge) else { throw Faults.challengeRefused }
        return try await vaultActor.use { state in
            try state.vault.put(setKey: made.0)
            return made.name
        }
    }

    /// The registry names the key. It is used from now on.
    func adoptSetKey(in vaultActor: isolated VaultActor, for challenge: Challenge.ID) async throws(Fault) {
        try vaultActor.begin(.enrolment, for: challenge)
        _ = try await vaultActor.opened()
        guard let record = try vaultActor.registered() else { throw Faults.notFound }
        guard var state = vaultActor.open else { throw Faults.stopping }
        do throws(VaultError) { try state.vault.take(record, sealer: vaultActor.dependencies.sealer.reader) } catch {
            throw vaultActor.noting(Fault(error))
        }
        state.record = record
        vaultActor.open = state
        guard state.vault.hasSetKey else {
            throw Fault(.notPermitted, "the registry does not name the key of the enrolled fingers")
        }
        vaultActor.endOperation(of: challenge)
    }
}
