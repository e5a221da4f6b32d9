import BrokerProtocol
import Varlink
import Vault

extension VaultActor {
    /// Records what happened outside of `use`. If the log cannot be written, what happened still stands. The next
    /// record then says that one is missing.
    func note(_ record: AccessRecord, _ durability: LogDurability = .synced) {
        // While the registry decides, the log that counts is the copy in the successor, so this record waits.
        guard let open, renewal?.offer == nil else {
            guard unlogged.count < LogLimits.unopened else { return }
            var record = record
            record.time = SystemClock.now()
            unlogged.append(record)
            return
        }
        open.note(record, durability)
        scheduleLog()
    }

    /// Records a refusal. If there are too many, they are only counted.
    func noteRefusal(_ record: AccessRecord, _ durability: LogDurability = .synced) {
        guard let counted = refusals.take(at: dependencies.clock.now()) else {
            if countedRefusal == nil {
                dependencies.clock.after(LogLimits.countDelay) { [weak self] in
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

    /// Records what happened before the vault was open.
    func noteUnlogged() {
        let records = unlogged
        unlogged = []
        for record in records { note(record) }
    }

    /// Schedules writing the log to disk and anchoring it, in ten seconds.
    func scheduleLog() {
        guard !isLogScheduled, let open, !open.vault.isLogAnchored else { return }
        isLogScheduled = true
        dependencies.clock.after(LogLimits.delay) { [weak self] in Task { await self?.anchorLog() } }
    }

    private func anchorLog() {
        isLogScheduled = false
        guard let open else { return }
        do throws(VaultError) { try open.vault.anchorLog() } catch { _ = noting(Fault(error)) }
    }
}

extension VaultActor.OpenState {
    /// Records what has happened, or what may happen without a record.
    func note(_ record: AccessRecord, _ durability: LogDurability = .synced) {
        // `try?`: the log itself tells how many records are missing.
        try? vault.note(record, durability)
    }
}
