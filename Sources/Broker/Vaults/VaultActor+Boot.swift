import Authorization
import BrokerProtocol
import Cryptography
import FoundationEssentials
import TPM
import Varlink
import Vault

/// Ties a vault to the measured boot (docs/boot.md), and approves other boots.
extension VaultActor {
    /// Seals the roots again and adds them to the file, beside those in use.
    ///
    /// - Parameters:
    ///   - root: the unlock root in use, as a signature released it.
    ///   - recovery: the recovery key, released in the same way.
    func resealForBoot(
        for challenge: Challenge, root: SecretBytes, recovery: SecretBytes
    ) async throws(Fault) -> (SecretBytes, ResealedVault) {
        let (sealer, now) = (dependencies.sealer, UInt64(max(0, Date().timeIntervalSince1970 * 1000)))
        if case .tieToBoot = challenge.request { try await requireRecoveryCode() }
        return try await replaceRoots(for: challenge, root) { (record) throws(Fault) in
            try BootRule.check(record, for: challenge)
        } seal: { (next, state) throws(SealerError) in
            let roots = ReleasedRoots(unlockRoot: next, recovery: recovery)
            guard case .tieToBoot(let registers) = challenge.request else {
                return try sealer.untie(roots, state.vault.objects, record: state.record)
            }
            return try sealer.tie(roots, to: registers, state.vault.objects, record: state.record, now: now)
        }
    }

    /// Without a recovery code, an unforeseen boot would lock the vault for good.
    func requireRecoveryCode() async throws(Fault) {
        guard try await use({ try $0.vault.recoveryMade }) != nil else {
            throw Fault(
                .failed,
                "Without a recovery code, an update of firmware or kernel that you have not approved would lock your vault for good; "
                    + "make a code first with: coffer recovery new")
        }
    }

    /// Whether this boot is approved for the vault.
    /// - Returns: nil if the vault is not tied to a boot.
    func bootStanding() async throws(Fault) -> (BootPin, BootStanding)? {
        let state = try await opened()
        guard let boot = state.record.boot else { return nil }
        let boots = try await use { try $0.vault.boots }
        // Anybody may ask without a proof, so simultaneous callers share one query to the TPM.
        let task = standing ?? Task { await self.standing(of: boots, state.record) }
        standing = task
        let result = await task.value
        if standing == task { standing = nil }
        return (boot, try result.get())
    }

    private func standing(of boots: BootList, _ record: RegistryRecord) async -> Result<BootStanding, Fault> {
        let sealer = dependencies.sealer
        do throws(SealerError) {
            return .success(
                try await dependencies.sealerThread.run { () throws(SealerError) in
                    try sealer.standing(of: boots, record: record)
                })
        } catch { return .failure(Fault(error)) }
    }

    /// The same, for people.
    func bootState() async throws(Fault) -> Keychain.BootState? {
        guard let (boot, standing) = try await bootStanding() else { return nil }
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
    func approve(_ next: [UInt8]?, by key: SecretBytes) async throws(Fault) {
        guard !isApproving else {
            throw Fault(.failed, "Another boot is being approved just now; try again in a moment.")
        }
        isApproving = true
        defer { isApproving = false }
        if let binding, dependencies.challenges.isOpen(binding) {
            throw Fault(.failed, "Your vault is being sealed anew just now; try again in a moment.")
        }
        guard let (_, standing) = try await bootStanding() else { throw Faults.challengeRefused }
        let list = try Self.list(standing, adding: next)
        let record = try await opened().record
        guard record.boot != nil else { throw Faults.challengeRefused }
        try await use { try $0.vault.put(BootList(inForce: standing.inForce, next: list)) }
        let sealer = dependencies.sealer
        do throws(SealerError) {
            try await dependencies.sealerThread.run { () throws(SealerError) in
                try sealer.approve(list, by: key, record: record)
            }
        } catch { throw Fault(error) }
        try await use { try $0.vault.put(BootList(inForce: list)) }
    }

    private static func list(_ standing: BootStanding, adding next: [UInt8]?) throws(Fault) -> [ApprovedBoot] {
        let time = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
        guard standing.isApproved else {
            throw Fault(
                .tpm, Fault.Details(message: "This boot was not approved.", kind: "boot", code: 0))
        }
        guard let next else { return standing.inForce.filter { $0.digest == standing.now } }
        if standing.inForce.contains(where: { $0.digest == next }) { return standing.inForce }
        guard standing.inForce.count < VaultLimits.boots else {
            throw Fault(
                .limitExceeded,
                "\(VaultLimits.boots) boots are approved already, the most there can be; keep only this one with: coffer boot prune"
            )
        }
        return standing.inForce + [ApprovedBoot(digest: next, approved: time)]
    }
}
