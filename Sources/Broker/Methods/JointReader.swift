import Authorization
import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// The steps of a read of several items: find all, apply the rules of reading to each, then return all secrets or one
/// challenge. The first item that cannot be read ends the call, and the error names it.
struct JointReader: Sendable {
    let names: [Keychain.ItemName]
    let reason: String?
    let mayUnlock: Bool
    let challenge: Challenge.ID?
    /// Whether the caller asks for another program.
    var forOthers = false
    /// The lease that the items are for; nil to read them.
    var terms: Lease.Terms?

    /// Records each read, and returns the items in the order of their names.
    /// - Throws: `AuthenticationRequired` with a challenge if a person is needed.
    func read(_ request: Request) async throws(Fault) -> [OpenedItem] {
        try check()
        let granted = try request.redeem(challenge)
        switch try await look(request, granted) {
        case .done(let items):
            try await request.confirmOwn()
            return items
        case .question(let asked, let vault):
            // A person has already answered for this call, and that was not enough.
            if granted != nil { throw Faults.challengeRefused }
            throw try request.ask(for: asked, vault: vault, reason: reason, forOthers: forOthers)
        }
    }

    func check() throws(Fault) {
        guard !names.isEmpty else { throw Fault(.invalidArgument, "name at least one item") }
        guard names.count <= JointReadLimits.items else {
            throw Fault(
                .limitExceeded, "one call reads at most \(JointReadLimits.items) items",
                advice: "read fewer items at once")
        }
        guard names.allSatisfy({ max($0.service.utf8.count, $0.account?.utf8.count ?? 0) <= ItemLimits.name }) else {
            throw Fault(.limitExceeded, "a service or an account may have at most \(ItemLimits.name) bytes")
        }
        for name in names { _ = try WireField.decode(name.field) }
        try ItemReader.check(reason: reason)
    }

    private enum Outcome: Sendable {
        case done([OpenedItem])
        case question(Challenge.Request, VaultID)
    }

    /// An item, and what it takes to read it.
    struct Found {
        let item: ItemSummary
        let field: FieldName
        let plan: ReadPlan

        var target: Challenge.Target { Challenge.Target(item: item.id, fields: [field]) }
    }

    /// One step of the vault, so that nothing changes between the first decision and the last secret.
    private func look(_ request: Request, _ granted: GrantedChallenge?) async throws(Fault) -> Outcome {
        let program = request.program(granted)
        return try await request.vaultActor.use { state in
            // The challenge was granted for the former keys, not for these.
            if let granted, granted.vault != state.record.vault { throw Faults.challengeRefused }
            let (found, missing) = try judge(request, granted, in: state)
            if let asked = try question(missing, found) { return .question(asked, state.record.vault) }
            var opened: [OpenedItem] = []
            for (name, found) in zip(names, found) {
                let value = try naming(name, request, state.record) {
                    try state.vault.value(
                        of: found.item, found.field, classKeys: state.keys,
                        agreements: granted?.grant.agreements ?? [:], keeper: state.held)
                }
                try request.secrets.take(value.count)
                opened.append(OpenedItem(value: value, item: found.item, field: found.field))
            }
            try record(opened, by: program, granted, in: state)
            return .done(opened)
        }
    }

    /// Finds the items, and what is missing to use each.
    func judge(
        _ request: Request, _ granted: GrantedChallenge?, in state: VaultActor.OpenState
    ) throws -> (found: [Found], missing: [ReadRules.Missing]) {
        let found = try find(in: state.vault, request)
        let all = found.map(\.target)
        let missing = try zip(names, found).map { name, found in
            try naming(name, request, state.record) {
                try ReadRules.judge(
                    ReadFacts(
                        caller: request.caller, vaultOwner: request.vaultActor.owner,
                        standing: request.admission.standing, own: request.own, item: found.item, fields: [found.field],
                        plan: found.plan,
                        lock: state.lock,
                        mayUnlock: mayUnlock && !request.admission.asksNobody(for: state.record), hasPassword: false,
                        together: all,
                        jointUse: terms == nil ? .read : .lease, granted: granted))
            }
        }
        return (found, missing)
    }

    /// Finds the items, each once. Their answer must fit into one message.
    private func find(in vault: OpenVault, _ request: Request) throws -> [Found] {
        var found: [Found] = []
        var room = Varlink.longestMessage - JointReadLimits.frame
        for name in names {
            let (one, size) = try naming(name, request, vault.record) {
                let field = try WireField.decode(name.field) ?? .secret
                return try vault.look(
                    service: name.service, account: name.account, kind: name.kind ?? .genericPassword, .one(field)
                ) { view in
                    (Found(item: view.item, field: field, plan: try view.plan()), try view.sealedSize())
                }
            }
            guard !found.contains(where: { $0.target == one.target }) else {
                throw Fault(.invalidArgument, "\(name.shown) is named twice")
            }
            room -= Varlink.encode(Keychain.Item(one.item)).count + (size / 3 + 1) * 4 + JointReadLimits.frame
            guard room >= 0 else { throw OpenedItem.tooMuch }
            found.append(one)
        }
        return found
    }

    /// One request to a person for everything that is missing; nil if nothing is.
    func question(
        _ missing: [ReadRules.Missing], _ found: [Found]
    ) throws(Fault) -> Challenge.Request? {
        guard missing.contains(where: { !$0.isEmpty }) else { return nil }
        let wanted = zip(missing, found).compactMap { missing, found in missing.ways.map { (found.item.id, $0) } }
        guard !wanted.isEmpty else { return .vault(.unlock) }
        let subjects = found.map { found in
            Challenge.Subject(
                item: found.item.id, version: found.item.version, service: found.item.metadata.service,
                account: found.item.metadata.account, kind: found.item.metadata.kind, fields: [found.field])
        }
        if let terms {
            // The prompt shows the command like the reason, so that both take room.
            let words = (reason ?? "") + (terms.command ?? "")
            return .lease(try Challenge.JointRead(subjects, reason: words, wanted: wanted), terms)
        }
        return .readAll(
            try Challenge.JointRead(subjects, reason: reason, wanted: wanted),
            unlocks: missing.contains(where: \.unlocks))
    }

    /// Records each read. If a person was asked for any of them, all records are safe before a secret leaves.
    private func record(
        _ items: [OpenedItem], by program: AccessRecord.Program, _ granted: GrantedChallenge?,
        in state: VaultActor.OpenState
    ) throws(VaultError) {
        let isGated = items.contains { !$0.item.access.requirements.isEmpty }
        for (number, one) in items.enumerated() {
            let details = [
                [one.field].detail, granted?.grant.means?.detail, forOthers ? LoggedProgram.forOthers : nil,
            ].compactMap { $0 }
            // If a person was asked, the log has the reason that they saw, even if the repeated call gives another one.
            let record = AccessRecord(
                .read, by: program, of: .init(one.item), reason: granted.map(\.challenge.reason) ?? reason,
                detail: details.isEmpty ? nil : details.joined(separator: ", "))
            guard isGated else {
                state.note(record, .written)
                continue
            }
            // The vault then vouches for the last record and for all before it.
            try state.vault.note(record, number == items.count - 1 ? .anchored : .written)
        }
    }

    /// Names the item in an error that is about this one item.
    private func naming<Value>(
        _ name: Keychain.ItemName, _ request: Request, _ record: RegistryRecord, _ body: () throws -> Value
    ) throws -> Value {
        do { return try body() } catch let fault as Fault {
            throw fault.naming(name, request.admission, record)
        } catch let error as VaultError {
            // The vault itself must hear of damage.
            let fault = Fault(error)
            throw Fault.aboutAnItem.contains(fault.name) ? fault.naming(name, request.admission, record) : error
        }
    }
}

extension Fault {
    /// The errors that one item can be the cause of.
    fileprivate static let aboutAnItem: Set<Name> = [.notFound, .ambiguous, .locked, .notPermitted, .fingersChanged]

    /// The same error, with the item's name as the call gives it.
    fileprivate func naming(
        _ name: Keychain.ItemName, _ admission: Admission, _ record: RegistryRecord
    ) -> Fault {
        if self == Faults.applicationPasswordRequired {
            return Fault(
                .invalidArgument,
                "\(name.shown) needs its application password, and a call for several items takes none",
                advice: "read it by itself with: coffer get")
        }
        guard Self.aboutAnItem.contains(self.name) else { return self }
        let fault = self == Faults.locked ? Faults.locked(admission, record) : self
        var details = fault.details
        details.message = "\(name.shown): \(details.message ?? "")"
        return Fault(fault.name, details)
    }
}

extension Keychain.ItemName {
    /// As an error shows it.
    fileprivate var shown: String {
        VisibleText.name(service: service, account: account, kind: kind)
            + (field.map { ", field \(VisibleText.quoted($0))" } ?? "")
    }
}
