import Varlink
import Vault

/// Deletes a vault's items some time after they expired, and those in its bin when their time has passed. It does so soon
/// after the vault was opened, and once a day while it is open. The names of items are readable while the vault is locked,
/// so nobody is needed for it.
final class ExpirySweep {
    private var isScheduled = false

    func schedule(after delay: Duration = SweepLimits.delay, in vaultActor: isolated VaultActor) {
        guard !isScheduled else { return }
        isScheduled = true
        vaultActor.dependencies.clock.after(delay) { [weak vaultActor] in
            guard let vaultActor else { return }
            Task { await Self.run(in: vaultActor) }
        }
    }

    private static func run(in vaultActor: isolated VaultActor) async {
        vaultActor.sweep.isScheduled = false
        // The next opening schedules it again.
        guard vaultActor.open != nil else { return }
        // `try?`: the next sweep tries again.
        let isMoreDue = try? await vaultActor.use { state in try sweep(state) }
        vaultActor.sweep.schedule(
            after: isMoreDue ?? false ? SweepLimits.pause : SweepLimits.interval, in: vaultActor)
    }

    /// - Returns: whether there may be more to delete.
    private static func sweep(_ state: VaultActor.OpenState) throws(VaultError) -> Bool {
        let now = SystemClock.now()
        guard now > SweepLimits.age else { return false }
        do throws(VaultError) {
            let binned = try state.vault.sweepBin(limit: SweepLimits.atOnce)
            state.note(binned.map { AccessRecord(.delete, of: .init($0), detail: BinDetail.outOf) })
            let swept = try state.vault.sweep(expiredBy: now - SweepLimits.age, limit: SweepLimits.atOnce)
            state.note(swept.map { AccessRecord(.delete, of: .init($0), detail: "expired") })
            return swept.count == SweepLimits.atOnce || binned.count == SweepLimits.atOnce
        } catch {
            // Damage somewhere in the vault is for the calls that it concerns. It must not end the use of all else.
            guard error.code == .damaged else { throw error }
            return false
        }
    }
}
