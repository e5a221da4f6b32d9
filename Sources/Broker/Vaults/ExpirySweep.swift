import Varlink
import Vault

/// Deletes a vault's items some time after they expired: soon after the vault was opened, and once a day while it is
/// open. The names of items are readable while the vault is locked, so nobody is needed for it.
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
        let count = try? await vaultActor.use { state in try sweep(state) }
        let isMoreDue = count == SweepLimits.atOnce
        vaultActor.sweep.schedule(
            after: isMoreDue ? SweepLimits.pause : SweepLimits.interval, in: vaultActor)
    }

    /// - Returns: how many items were deleted.
    private static func sweep(_ state: VaultActor.OpenState) throws(VaultError) -> Int {
        let now = SystemClock.now()
        guard now > SweepLimits.age else { return 0 }
        do throws(VaultError) {
            let swept = try state.vault.sweep(expiredBy: now - SweepLimits.age, limit: SweepLimits.atOnce)
            state.note(swept.map { AccessRecord(.delete, of: .init($0), detail: "expired") })
            return swept.count
        } catch {
            // Damage somewhere in the vault is for the calls that it concerns. It must not end the use of all else.
            guard error.code == .damaged else { throw error }
            return 0
        }
    }
}
