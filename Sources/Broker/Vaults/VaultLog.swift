import BrokerProtocol
import Varlink
import Vault

/// The records of a vault that were not written by the call that they are about: they wait until the vault is open,
/// are written to disk later, or are only counted.
final class VaultLog {
    /// Records that wait for the vault to be opened.
    private var waiting: [AccessRecord] = []
    private var isScheduled = false
    private var refusals = RefusalBudget()
    /// The event of the last refusal that was only counted, until a record tells the count.
    private var countedRefusal: AccessRecord.Event?

    func note(_ record: AccessRecord, _ durability: LogDurability, in vaultActor: isolated VaultActor) {
        // While the registry decides, the log that counts is the copy in the successor, so this record waits.
        guard let open = vaultActor.open, !vaultActor.renewal.isOffered else {
            guard waiting.count < LogLimits.unopened else { return }
            var record = record
            record.time = SystemClock.now()
            waiting.append(record)
            return
        }
        open.note(record, durability)
        schedule(in: vaultActor)
    }

    func noteRefusal(_ record: AccessRecord, _ durability: LogDurability, in vaultActor: isolated VaultActor) {
        let clock = vaultActor.dependencies.clock
        guard let counted = refusals.take(at: clock.now()) else {
            if countedRefusal == nil {
                clock.after(LogLimits.countDelay) { [weak vaultActor] in
                    guard let vaultActor else { return }
                    Task { await Self.noteCounted(in: vaultActor) }
                }
            }
            countedRefusal = record.event
            return
        }
        note(record, durability, in: vaultActor)
        if counted > 0 { noteCount(counted, record.event, in: vaultActor) }
    }

    private static func noteCounted(in vaultActor: isolated VaultActor) {
        let log = vaultActor.log
        guard let event = log.countedRefusal else { return }
        log.countedRefusal = nil
        let counted = log.refusals.takeCount()
        if counted > 0 { log.noteCount(counted, event, in: vaultActor) }
    }

    private func noteCount(_ count: Int, _ event: AccessRecord.Event, in vaultActor: isolated VaultActor) {
        let record = AccessRecord(
            event, outcome: "refused", detail: "\(count) refusals came too fast to be recorded one by one")
        note(record, .written, in: vaultActor)
    }

    /// Records what happened before the vault was open.
    func noteWaiting(in vaultActor: isolated VaultActor) {
        let records = waiting
        waiting = []
        for record in records { note(record, .synced, in: vaultActor) }
    }

    /// Schedules writing the log to disk and anchoring it, in ten seconds.
    func schedule(in vaultActor: isolated VaultActor) {
        guard !isScheduled, let open = vaultActor.open, !open.vault.isLogAnchored else { return }
        isScheduled = true
        vaultActor.dependencies.clock.after(LogLimits.delay) { [weak vaultActor] in
            guard let vaultActor else { return }
            Task { await Self.anchor(in: vaultActor) }
        }
    }

    private static func anchor(in vaultActor: isolated VaultActor) {
        vaultActor.log.isScheduled = false
        guard let open = vaultActor.open else { return }
        do throws(VaultError) { try open.vault.anchorLog() } catch { _ = vaultActor.noting(Fault(error)) }
    }
}

extension VaultActor.OpenState {
    /// Records what has happened, or what may happen without a record.
    func note(_ record: AccessRecord, _ durability: LogDurability = .synced) {
        // A setting is no secret, and one that a person drags would push all else out of the log. Refusals are kept.
        guard record.subject?.kind != .setting || record.outcome != AccessRecord.done else { return }
        // `try?`: the log itself tells how many records are missing.
        try? vault.note(record, durability)
    }

    /// Records what has happened in one change of the vault. The log is synced once.
    func note(_ records: [AccessRecord]) {
        for record in records.dropLast() { note(record, .written) }
        if let last = records.last { note(last) }
    }
}
