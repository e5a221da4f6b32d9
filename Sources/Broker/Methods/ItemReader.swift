import Authorization
import BrokerProtocol
import Cryptography
import Item
import Varlink
import Vault

/// The steps of every read: find the item, apply the rules, plan the read, then return the secret or a challenge. All
/// methods that need a secret use it.
struct ItemReader: Sendable {
    let service: String
    let account: String?
    let kind: ItemKind
    /// The fields that are read; nil for the field of the version, or for `secret`.
    var choice: FieldChoice?
    let reason: String?
    let mayUnlock: Bool
    let applicationPassword: SecretBytes?
    let challenge: Challenge.ID?
    /// Uses the value of this version, which may be a former one; nil for the present value.
    var version: UInt64?
    /// A challenge that the method has already redeemed.
    var redeemed: GrantedChallenge?
    /// What is to be done with the item. The person is shown it.
    var deed = Challenge.ItemUse.Deed.read
    /// The kinds that the call may bind the item to. They are kept in the challenge for a person.
    var enrolled: [AuthorizationKind] = []
    /// The field that the access log names in place of those that are read; nil for these.
    var loggedField: FieldName?
    /// Whether the caller asks for another program.
    var forOthers = false
    /// Whether to find expired items too. Set it only if the secret is not given out.
    var includesExpired = false

    /// Gives the values to `body` and records that. Both happen in the same step of the vault as the decision, so
    /// nothing can change in between.
    /// - Throws: `AuthenticationRequired` with a challenge if a person is needed.
    func read<Value: Sendable>(
        _ request: Request, for event: AccessRecord.Event,
        _ body: @escaping @Sendable (OpenVault, ItemSummary, [FieldValue]) throws -> Value
    ) async throws(Fault) -> Value {
        try await change(request, for: event, body).value
    }

    /// The same, and tells whether the change was acknowledged before the TPM has counted it.
    func change<Value: Sendable>(
        _ request: Request, for event: AccessRecord.Event,
        _ body: @escaping @Sendable (OpenVault, ItemSummary, [FieldValue]) throws -> Value
    ) async throws(Fault) -> VaultActor.Outcome<Value> {
        try Self.check(reason: reason)
        let granted = if let redeemed { redeemed } else { try request.redeem(challenge) }
        var outcome = try await look(request, for: event, granted, stretched: nil, body)
        if case .password(let item, let salt) = outcome.value, let applicationPassword {
            // Stretching takes long, so it does not run on the vault's own queue, where other calls wait.
            let passwords = request.core.applicationPasswords
            let stretched = try await passwords.attempt(
                applicationPassword, salt: salt, at: item, for: request)
            // The item or the lock may have changed meanwhile, so all rules are applied again.
            outcome = try await look(request, for: event, granted, stretched: stretched, body)
            if case .done = outcome.value { passwords.succeeded(at: item, by: request.caller.uid) }
        }
        switch outcome.value {
        case .done(let value):
            try await request.confirmOwn()
            return VaultActor.Outcome(value: value, isUncounted: outcome.isUncounted)
        case .password: throw Faults.challengeRefused
        case .question(let asked, let vault):
            // A person has already answered for this call, and that was not enough. Prompting again and again would
            // train people to agree.
            if let granted, !granted.request.isEnrolment { throw Faults.challengeRefused }
            throw try request.ask(for: asked, vault: vault, reason: reason, enrolled: enrolled, forOthers: forOthers)
        }
    }

    /// - Throws: `InvalidArgument` for a reason that is too long for a prompt.
    static func check(reason: String?) throws(Fault) {
        do throws(ItemLimitError) { try ItemLimits.check(reason: reason) } catch { throw Fault(error) }
    }

    /// One step of the vault: applies the rules, and opens the secret if nothing is missing.
    private func look<Value: Sendable>(
        _ request: Request, for event: AccessRecord.Event, _ granted: GrantedChallenge?, stretched: StretchedPassword?,
        _ body: @escaping @Sendable (OpenVault, ItemSummary, [FieldValue]) throws -> Value
    ) async throws(Fault) -> VaultActor.Outcome<Outcome<Value>> {
        let owner = request.vaultActor.owner
        let program = request.program(granted)
        let hasPassword = applicationPassword != nil
        return try await request.vaultActor.change { state -> Outcome<Value> in
            let found: Outcome<Opened> = try state.vault.look(
                service: service, account: account, kind: kind, choice, includingExpired: includesExpired,
                version: version
            ) { view in
                // The challenge was granted for the former keys, not for these.
                if let granted, granted.vault != state.record.vault { throw Faults.challengeRefused }
                let item = view.item
                let plan = try view.plan()
                let facts = ReadFacts(
                    caller: request.caller, vaultOwner: owner, standing: request.admission.standing, own: request.own,
                    item: item, fields: view.fields, plan: plan, lock: state.lock,
                    mayUnlock: mayUnlock && !request.admission.asksNobody(for: state.record),
                    hasPassword: hasPassword, deed: deed, granted: granted)
                let missing = try ReadRules.judge(facts)
                guard missing.isEmpty else {
                    return .question(missing.request(deed, Challenge.Subject(view)), state.record.vault)
                }
                if hasPassword, stretched == nil, let salt = plan.alternatives.compactMap(\.passwordSalt).first {
                    return .password(item.id, salt: salt)
                }
                let values = try view.values(
                    classKeys: state.keys, agreements: granted?.grant.agreements ?? [:], applicationPassword: stretched,
                    keeper: state.held)
                // The values of all fields are in memory at once. One value alone is counted where it is answered.
                if values.count > 1 { for one in values { try request.secrets.take(one.value.count) } }
                let subject = Challenge.Subject(view)
                return .done(
                    Opened(
                        item: item, fields: view.fields, formerName: subject.presentName == nil ? nil : subject.name,
                        values: values))
            }
            let opened: Opened
            switch found {
            case .question(let asked, let vault): return .question(asked, vault)
            case .password(let item, let salt): return .password(item, salt: salt)
            case .done(let found): opened = found
            }
            let item = opened.item
            // Where a person was asked, the reason is the one that was shown, whatever the repeated call says.
            let shown = granted.flatMap { $0.request.isEnrolment ? nil : $0.challenge }
            let record = AccessRecord(
                event, by: program, of: .init(item), reason: shown.map(\.reason) ?? reason,
                detail: deed.newName.map(\.detail) ?? detail(of: event, opened, granted))
            if event == .read, !item.access.requirements.isEmpty {
                // A read that a person was asked for is always recorded before the secret leaves.
                try state.vault.note(record, .anchored)
            }
            let result = try body(state.vault, item, opened.values)
            if event != .read { state.note(record) }
            if event == .read, item.access.requirements.isEmpty { state.note(record, .written) }
            return .done(result)
        }
    }

    /// The words in the log for a former value, and for how the person was recognised.
    private func detail(
        of event: AccessRecord.Event, _ opened: Opened, _ granted: GrantedChallenge?
    ) -> String? {
        let then = opened.formerName.map { ", then \($0.service) \($0.account)" } ?? ""
        let former = version.map { (event == .set ? "version \($0) restored" : "version \($0)") + then }
        let others = forOthers ? LoggedProgram.forOthers : nil
        let fields = loggedField.map { [$0] } ?? opened.fields
        let parts = [fields.detail, former, granted?.grant.means?.detail, others].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// An item that was opened.
    private struct Opened: Sendable {
        let item: ItemSummary
        let fields: [FieldName]
        /// The name that a former value was stored under, if the item has another one now.
        let formerName: Challenge.Name?
        let values: [FieldValue]
    }

    private enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// Only the stretched application password is missing.
        case password(ItemID, salt: [UInt8])
        case question(Challenge.Request, VaultID)
    }
}

extension Challenge.Subject {
    /// An item that is looked at. A former value is asked for by the name that it was stored under. Renaming the item
    /// asks nobody if its present value has no requirements, so its present name alone could be a harmless one.
    fileprivate init(_ view: borrowing ItemView) {
        let item = view.item
        let present = Challenge.Name(service: item.metadata.service, account: item.metadata.account)
        let then = view.formerName.map { Challenge.Name(service: $0.service, account: $0.account) } ?? present
        self.init(
            item: item.id, version: item.version, service: then.service, account: then.account,
            kind: item.metadata.kind, fields: view.fields, isFormer: view.isFormer,
            presentName: then == present ? nil : present)
    }

    fileprivate var name: Challenge.Name { Challenge.Name(service: service, account: account) }
}

extension [FieldName] {
    /// The words in the log; nil for `secret` alone, as for an item with a single value.
    var detail: String? {
        guard self != [.secret] else { return nil }
        return (count == 1 ? "field " : "fields ") + map { VisibleText.quoted($0.text) }.joined(separator: ", ")
    }
}

extension Challenge.Name {
    /// The detail in the log for the renamed item.
    var detail: String { "now \(service) \(account)" }
}
