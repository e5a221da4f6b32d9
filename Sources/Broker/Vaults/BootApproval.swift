import Authorization
import BrokerProtocol
import Cryptography
import Synchronization
import TPM
import Varlink
import Vault

/// Tells whether this boot is approved for a vault that is tied to the boot (docs/boot.md), and approves other boots.
final class BootApproval: Sendable {
    /// The query under way about this boot; all callers share it.
    private let query = Mutex<Task<Result<BootStanding, Fault>, Never>?>(nil)

    /// Whether this boot is approved for the vault.
    /// - Returns: nil if the vault is not tied to a boot.
    func standing(in vaultActor: isolated VaultActor) async throws(Fault) -> (BootPin, BootStanding)? {
        let state = try await vaultActor.opened()
        guard let boot = state.record.boot else { return nil }
        let boots = try await vaultActor.use { try $0.vault.boots }
        let dependencies = vaultActor.dependencies
        // Anybody may ask without a proof, so simultaneous callers share one query to the TPM.
        let task = query.withLock { query in
            let task = query ?? Task { await Self.standing(of: boots, state.record, dependencies) }
            query = task
            return task
        }
        let result = await task.value
        query.withLock { if $0 == task { $0 = nil } }
        return (boot, try result.get())
    }

    private static func standing(
        of boots: BootList, _ record: RegistryRecord, _ dependencies: VaultDependencies
    ) async -> Result<BootStanding, Fault> {
        do throws(SealerError) {
            return .success(try await dependencies.sealer.standing(of: boots, record: record))
        } catch { return .failure(Fault(error)) }
    }

    /// The same, for people.
    func state(in vaultActor: isolated VaultActor) async throws(Fault) -> Keychain.BootState? {
        guard let (boot, standing) = try await standing(in: vaultActor) else { return nil }
        return Keychain.BootState(
            registers: boot.registers.map { Int64($0) },
            approved: standing.inForce.map {
                Keychain.ApprovedBoot(digest: Hex.encode($0.digest), approved: Int64(clamping: $0.approved))
            }, now: Hex.encode(standing.now), isApproved: standing.isApproved)
    }

    /// Approves one more boot, or only this one.
    ///
    /// - Parameters:
    ///   - next: the digest of the other boot's registers; nil to keep only this boot.
    ///   - key: the approving key, as a signature released it.
    func approve(in vaultActor: isolated VaultActor, _ next: [UInt8]?, by key: SecretBytes) async throws(Fault) {
        try vaultActor.begin(.approval, for: nil)
        defer { vaultActor.endOperation(of: nil) }
        guard let (_, standing) = try await standing(in: vaultActor) else { throw Faults.challengeRefused }
        let list = try Self.list(standing, adding: next)
        let record = try await vaultActor.opened().record
        guard record.boot != nil else { throw Faults.challengeRefused }
        try await vaultActor.use { try $0.vault.put(BootList(inForce: standing.inForce, next: list)) }
        do throws(SealerError) {
            try await vaultActor.dependencies.sealer.approve(list, by: key, record: record)
        } catch { throw Fault(error) }
        try await vaultActor.use { try $0.vault.put(BootList(inForce: list)) }
    }

    private static func list(_ standing: BootStanding, adding next: [UInt8]?) throws(Fault) -> [ApprovedBoot] {
        let time = SystemClock.now()
        guard standing.isApproved else {
            throw Fault(
                .tpm, Fault.Details(message: "this boot was not approved", kind: "boot", code: 0))
        }
        guard let next else { return standing.inForce.filter { $0.digest == standing.now } }
        if standing.inForce.contains(where: { $0.digest == next }) { return standing.inForce }
        guard standing.inForce.count < VaultLimits.boots else {
            throw Fault(
                .limitExceeded,
                "\(VaultLimits.boots) boots are approved already, the most there can be",
                advice: "keep only this one with: coffer boot prune"
            )
        }
        return standing.inForce + [ApprovedBoot(digest: next, approved: time)]
    }
}
