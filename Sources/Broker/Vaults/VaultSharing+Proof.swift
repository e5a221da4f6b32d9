import Authorization
import Circle
import Cryptography
import Varlink
import Vault

/// Proves to a member that a vault's keys are in this machine's TPM, before the vault enters its circle.
extension VaultSharing {
    /// The identity of this machine's TPM, for a request.
    ///
    /// - Returns: nil without a TPM that can prove where keys are. The machine can join all the same.
    func identity(
        in vaultActor: isolated VaultActor, for request: JoinRequest
    ) async throws(Fault) -> JoinIdentity? {
        let sealer = vaultActor.dependencies.sealer
        guard sealer.kind == .tpm else { return nil }
        do throws(SealerError) {
            let machine = try await sealer.machineIdentity()
            do throws(CircleFormError) { return try JoinIdentity(request: request.digest, machine: machine) } catch {
                throw SealerError(.other, "the identity of the TPM cannot be written")
            }
        } catch {
            // Its owner may have shut the endorsement hierarchy. A member that demands a proof says that none came.
            return nil
        }
    }

    /// The answer to a member's challenge.
    func evidence(
        in vaultActor: isolated VaultActor, for challenge: JoinChallenge
    ) async throws(Fault) -> JoinEvidence {
        let state = try await vaultActor.opened()
        let (request, keys) = try await vaultActor.use { try $0.vault.joinKeys() }
        guard challenge.request == request.digest else {
            throw Fault(.invalidArgument, "the challenge is not for the request of this machine")
        }
        let sealer = vaultActor.dependencies.sealer
        do throws(SealerError) {
            let machine = try await sealer.machineIdentity()
            let loads = try await sealer.attest(
                keys, to: challenge.credential, request: request.digest, record: state.record)
            guard let parent = state.record.storageKey?.name else {
                throw SealerError(.damaged, "the registry record names no storage key of a TPM")
            }
            do throws(CircleFormError) {
                let record = state.record
                let claim = try JoinEvidence.Claim(
                    id: record.vault, owner: record.owner, authenticatorKey: record.authenticatorKey,
                    generation: record.generation)
                return try JoinEvidence(
                    request: request.digest, machine: machine, vault: claim, parent: parent,
                    privateAreas: keys.map(\.private), loads: loads)
            } catch { throw SealerError(.other, "the proof cannot be written") }
        } catch { throw Fault(error) }
    }
}
