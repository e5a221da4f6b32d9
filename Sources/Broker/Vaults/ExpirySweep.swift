import Varlink
import Vault

/// Deletes a vault's items some time after they expired, and those in its bin when their time has passed. It does so soon
/// after the vault was opened, and once a day while it is open. The names of items are readable while the vault is locked,
/// so nobody is needed for it.
final class ExpirySweep {
    private var isScheduled = false
    private var clock = SweepClock()
    /// What the clock showed when the vault was first opened. What this broker has noted since is no proof of the time.
    private var firstOpening: UInt64?

    /// A vault was opened. Until the clock is believed, no change of it drops former values by their time.
    func begin(with vault: OpenVault, _ dependencies: VaultDependencies) {
        let now = dependencies.wall()
        firstOpening = min(firstOpening ?? now, now)
        vault.dropFormer(onlyUntil: clock.limit(at: dependencies.clock.now()))
    }

    func schedule(after delay: Duration = SweepLimits.delay, in vaultActor: isolated VaultActor) {
        guard !isScheduled else { return }
        isScheduled = true
        vaultActor.dependencies.clock.after(delay) { [weak vaultActor] in
            guard let vaultActor else { return }
            Task { await Self.run(in: vaultActor) }
        }
    }

    static func run(in vaultActor: isolated VaultActor) async {
        vaultActor.sweep.isScheduled = false
        // The next opening schedules it again.
        guard vaultActor.open != nil else { return }
        var isMoreDue: Bool?
        let now = vaultActor.dependencies.wall()
        if vaultActor.sweep.isClockBelieved(now, in: vaultActor) {
            // `try?`: the next sweep tries again.
            isMoreDue = try? await vaultActor.use { state in try sweep(state, at: now) }
        }
        vaultActor.sweep.schedule(
            after: isMoreDue ?? false ? SweepLimits.pause : SweepLimits.interval, in: vaultActor)
    }

    /// Whether what has had its time may be deleted by what the clock shows now.
    private func isClockBelieved(_ now: UInt64, in vaultActor: isolated VaultActor) -> Bool {
        guard let state = vaultActor.open else { return false }
        let instant = vaultActor.dependencies.clock.now()
        do throws(VaultError) {
            let isBelieved = try clock.believes(now, at: instant) { () throws(VaultError) in
                SweepClock.trace(
                    of: try state.vault.traces(before: firstOpening ?? now), since: state.record.created)
            }
            state.vault.dropFormer(onlyUntil: clock.limit(at: instant))
            return isBelieved
        } catch {
            // A vault that cannot be read is not swept either, and the calls that it concerns tell why.
            return false
        }
    }

    /// - Returns: whether there may be more to delete.
    private static func sweep(_ state: VaultActor.OpenState, at now: UInt64) throws(VaultError) -> Bool {
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
