import Authorization
import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// `Apply`: several changes, all or none. Each set is judged by the rules of `Set`, over the access control that the
/// changes before it leave.
enum ApplyHandler: MethodHandler {
    static func answer(_ method: Keychain.Apply, _ request: Request) async throws(Fault) -> MethodAnswer {
        let granted = try request.redeem(method.challenge)
        guard method.changes.count <= ApplyLimits.changes else {
            throw Fault(
                .limitExceeded,
                "there are \(method.changes.count) changes, but one call makes \(ApplyLimits.changes) at most")
        }
        var steps: [ApplyStep] = []
        for (index, change) in method.changes.enumerated() {
            steps.append(try ApplyStep(change, number: index + 1, secrets: request.secrets))
        }
        guard request.condition != .none else {
            if let step = steps.first(where: { $0.change.revision != nil }) {
                throw Fault(.changed, "the item was changed or deleted since it was looked at").about(
                    change: step.number)
            }
            // There is nothing to delete. A call that sets something has made the vault first.
            return .reply(Keychain.Apply.Reply(results: steps.map { _ in Keychain.ChangeResult() }))
        }
        let accesses = try await request.vaultActor.use { [steps] state in
            try state.vault.accesses(after: steps.map(\.change))
        }
        let sets = zip(steps, accesses).compactMap { step, access in access.map { (step, $0) } }
        try await check(sets, in: request.vaultActor.record())
        _ = try await EnrolmentPrecondition.check(sets.map(\.1), granted: granted, request)
        var passwords = try await stretch(sets, request).makeIterator()
        let changes = zip(steps, accesses).map { step, access in
            step.judged(access, access == nil ? nil : passwords.next() ?? nil)
        }
        let program = request.program()
        let applied = try await request.vaultActor.change { [sets] state in
            try check(sets, in: state.record)
            let results = try state.vault.apply(changes, protection: DeletionProtection(method.rollback))
            state.note(results.flatMap { AccessRecord.all(of: $0, by: program) })
            return results
        }
        return .reply(
            Keychain.Apply.Reply(
                results: applied.value.map { Keychain.ChangeResult($0) }, protected: applied.protected))
    }

    private static func check(
        _ sets: [(ApplyStep, AccessControl)], in record: RegistryRecord
    ) throws(Fault) {
        for (step, access) in sets {
            try step.naming { () throws(Fault) in try OwnerPrecondition.check(access, in: record) }
        }
    }

    /// One password is stretched at a time. The caller may have hung up meanwhile.
    private static func stretch(
        _ sets: [(ApplyStep, AccessControl)], _ request: Request
    ) async throws(Fault) -> [StretchedPassword?] {
        for (step, access) in sets {
            let needsPassword = access.requirements.contains(.applicationPassword)
            guard needsPassword != (step.password != nil) else { continue }
            throw (needsPassword ? Faults.applicationPasswordRequired : Faults.applicationPasswordUnknown)
                .about(change: step.number)
        }
        guard sets.count(where: { $0.0.password != nil }) <= ApplyLimits.passwords else {
            throw Fault(.limitExceeded, "one call takes \(ApplyLimits.passwords) application passwords at most")
        }
        var passwords: [StretchedPassword?] = []
        for (step, _) in sets {
            guard let text = step.password else {
                passwords.append(nil)
                continue
            }
            guard !request.isAbandoned() else { throw Fault(.failed, "the caller has hung up") }
            let password = try request.secrets.decode(text)
            passwords.append(try await request.core.applicationPasswords.stretch(password, for: request))
        }
        return passwords
    }

    static func logged(_ method: Keychain.Apply) -> LoggedCall? {
        let first = method.changes.first
        return LoggedCall(
            event: first?.action ?? .set == .set ? .set : .delete, service: first?.service, account: first?.account,
            kind: first?.kind)
    }

    /// Deleting makes no vault.
    static func mayMakeVault(_ method: Keychain.Apply) -> Bool { method.changes.contains { $0.action == .set } }
}

extension AccessRecord {
    /// The records of what became of one change.
    fileprivate static func all(of result: PlannedChange.Result, by program: Program) -> [AccessRecord] {
        switch result {
        case .stored(let item, let replaced):
            return [AccessRecord(.set, by: program, of: .init(item), detail: replaced == nil ? nil : "replaced")]
        case .putAside(let item): return [AccessRecord(.delete, by: program, of: .init(item), detail: BinDetail.into)]
        case .deleted(let items):
            var records = items.prefix(ApplyLimits.records).map { AccessRecord(.delete, by: program, of: .init($0)) }
            let others = items.count - records.count
            if others > 0, let service = items.first?.metadata.service {
                records.append(
                    AccessRecord(
                        .delete, by: program, of: .init(item: nil, service: service, account: nil, require: []),
                        detail: "\(others) more items of this service"))
            }
            return records
        }
    }
}

extension Keychain.ChangeResult {
    fileprivate init(_ result: PlannedChange.Result) {
        switch result {
        case .stored(let item, let replaced):
            self.init(
                item: item.id.description, version: Int64(clamping: item.version), revision: item.revision.description,
                replaced: replaced.map { Int64(clamping: $0) })
        case .putAside(let item): self.init(item: item.id.description, deleted: 1)
        case .deleted(let items):
            self.init(item: items.count == 1 ? items[0].id.description : nil, deleted: Int64(items.count))
        }
    }
}
