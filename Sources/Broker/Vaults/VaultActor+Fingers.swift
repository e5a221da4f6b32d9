import Authorization
import BrokerProtocol
import Varlink
import Vault

/// Changes the key of the enrolled fingers. The file changes first, then root's registry, then the vault in use. A
/// crash in between leaves a key that nobody uses.
extension VaultActor {
    /// The key for these fingers, made if needed. Only one enrolment runs at a time.
    /// - Returns: the key's Name.
    func provideSetKey(for challenge: Challenge.ID, _ digest: [UInt8]) async throws(Fault) -> [UInt8] {
        try claimEnrolment(challenge)
        let state = try await opened()
        if state.record.biometrySet == digest, state.vault.hasSetKey,
            let name = state.record.objects[.biometryCurrentSet]
        {
            return name
        }
        let (sealer, record) = (dependencies.sealer, state.record)
        let made: (SealedObject, name: [UInt8])
        do throws(SealerError) {
            made = try await dependencies.sealerThread.run { () throws(SealerError) in
                try sealer.makeSetKey(digest, record: record)
            }
        } catch { throw Fault(error) }
        // The challenge may have ended while the TPM worked.
        guard enrolment == challenge, dependencies.challenges.isOpen(challenge) else { throw Faults.challengeRefused }
        return try await use { state in
            try state.vault.put(setKey: made.0)
            return made.name
        }
    }

    /// The registry names the key. It is used from now on.
    func adoptSetKey(for challenge: Challenge.ID) async throws(Fault) {
        try claimEnrolment(challenge)
        _ = try await opened()
        guard let record = try VaultOpener(owner: owner, dependencies: dependencies).registered() else {
            throw Faults.notFound
        }
        guard var state = open else { throw Faults.stopping }
        do throws(VaultError) { try state.vault.take(record, sealer: dependencies.sealer) } catch {
            throw noting(Fault(error))
        }
        state.record = record
        open = state
        guard state.vault.hasSetKey else {
            throw Fault(.notPermitted, "The registry does not name the key of the enrolled fingers.")
        }
        enrolment = nil
    }

    private func claimEnrolment(_ challenge: Challenge.ID) throws(Fault) {
        if let enrolment, enrolment != challenge, dependencies.challenges.isOpen(enrolment) {
            throw Fault(.failed, "Another item is being bound to your fingers just now; try again in a moment.")
        }
        enrolment = challenge
    }
}
