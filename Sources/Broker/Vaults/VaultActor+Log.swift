import BrokerProtocol
import Varlink
import Vault

extension VaultActor {
    /// How long a record of an ungated read may wait for the disk.
    static let logDelay = Duration.seconds(10)
    /// How many records wait for the vault to be opened, at most.
    private static let mostUnlogged = 64

    /// Records what happened outside of `use`. A log that cannot be written takes nothing back that has happened: the next record says that one is missing.
    func note(_ record: AccessRecord, _ durability: LogDurability = .synced) {
        // While the registry decides, the log that counts is the one that was carried over.
        guard let open, renewal?.offer == nil else {
            guard unlogged.count < Self.mostUnlogged else { return }
            var record = record
            record.time = SystemClock.now()
            unlogged.append(record)
            return
        }
        open.note(record, durability)
        scheduleLog()
    }

    /// Records that something was refused, as long as there are not too many of these; then they are counted.
    func noteRefusal(_ record: AccessRecord, _ durability: LogDurability = .synced) {
        guard let counted = refusals.take(at: dependencies.clock.now()) else {
            if countedRefusal == nil {
                dependencies.clock.after(RefusalBudget.patience) { [weak self] in
                    Task { await self?.noteCounted() }
                }
            }
            countedRefusal = record.event
            return
        }
        note(record, durability)
        if counted > 0 { noteCount(counted, record.event) }
    }

    private func noteCounted() {
        guard let event = countedRefusal else { return }
        countedRefusal = nil
        let counted = refusals.takeCount()
        if counted > 0 { noteCount(counted, event) }
    }

    private func noteCount(_ count: Int, _ event: AccessRecord.Event) {
        note(
            AccessRecord(
                event, outcome: "refused",
                detail: "\(count) refusals came too fast to be recorded one by one"), .written)
    }

    /// What happened before the vault was open.
    func noteUnlogged() {
        let records = unlogged
        unlogged = []
        for record in records { note(record) }
    }

    /// Sees to it that what was logged is on disk, and vouched for, some seconds from now.
    func scheduleLog() {
        guard !isLogScheduled, let open, !open.vault.isLogAnchored else { return }
        isLogScheduled = true
        dependencies.clock.after(Self.logDelay) { [weak self] in Task { await self?.anchorLog() } }
    }

    private func anchorLog() {
        isLogScheduled = false
        guard let open else { return }
        do throws(VaultError) { try open.vault.anchorLog() } catch { _ = noting(Fault(error)) }
    }
}

extension VaultActor.OpenState {
    /// Records what has happened, or what may happen unrecorded.
    func note(_ record: AccessRecord, _ durability: LogDurability = .synced) {
        // The log itself says how many records are missing.
        try? vault.note(record, durability)
    }
}
