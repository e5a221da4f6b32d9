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
            if record.time == 0 { record.time = SystemClock.now() }
            waiting.append(record)
            return
        }
        open.note(record, durability)
        schedule(in: vaultActor)
    }

    func noteRefusal(_ record: AccessRecord, _ durability: LogDurability, in vaultActor: isolated VaultActor) {
        let clock = vaultActor.dependencies.clock
        guard let counted = refusals.take(at: clock.now()) else {
            tellCountLater(record.event, in: vaultActor)
            return
        }
        note(record, durability, in: vaultActor)
        if counted > 0 { noteCount(counted, record.event, in: vaultActor) }
    }

    /// Records the challenges that have ended since the last look.
    fileprivate func noteEnded(in vaultActor: isolated VaultActor) {
        let ended = vaultActor.dependencies.challenges.ended.take(of: vaultActor.owner)
        for record in ended.records { noteRefusal(record, .written, in: vaultActor) }
        guard let event = ended.lastCounted else { return }
        refusals.count(ended.counted)
        tellCountLater(event, in: vaultActor)
    }

    private func tellCountLater(_ event: AccessRecord.Event, in vaultActor: isolated VaultActor) {
        if countedRefusal == nil {
            vaultActor.dependencies.clock.after(LogLimits.countDelay) { [weak vaultActor] in
                guard let vaultActor else { return }
                Task { await Self.noteCounted(in: vaultActor) }
            }
        }
        countedRefusal = event
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

/// What has ended elsewhere is recorded when it is the vault's turn. The code that ends it does not wait for that.
extension VaultActor {
    /// Challenges about this vault have ended.
    nonisolated func noteEndedInTurn() {
        executor.inTurn { self.assumeIsolated { $0.noteEnded() } }
    }

    private func noteEnded() { log.noteEnded(in: self) }

    /// A lease of this vault's items has ended.
    nonisolated func noteEndInTurn(of lease: Lease, _ why: Lease.End) {
        var record = AccessRecord(.leaseEnd, by: lease.program, detail: "lease \(lease.number): \(why.rawValue)")
        record.time = SystemClock.now()
        executor.inTurn { [record] in self.assumeIsolated { $0.note(record) } }
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
