import Authorization
import BrokerProtocol
import Cryptography
import Varlink
import Vault

/// The way of every read: find, rules, plan, then the value or a question to a person. Used by all methods that need a value.
struct ItemReader: Sendable {
    let service: String
    let account: String?
    let reason: String?
    let mayUnlock: Bool
    let applicationPassword: SecretBytes?
    let challenge: Challenge.ID?
    /// What the method took already.
    var redeemed: Challenge?
    /// What the person is told that it is for.
    var purpose = Keychain.Purpose.read
    /// What the call may bind the item to, for the challenge that a person is asked for.
    var enrolled: [AuthorizationKind] = []

    /// Also an item that has expired: its value goes nowhere.
    var includesExpired = false
    /// What the item is to be called from then on, where it is to be renamed.
    var newName: Challenge.Name?

    /// Gives the value to `body`, and records that, in the same step of the vault that judged it: nothing can change in between.
    /// - Throws: `AuthenticationRequired` with a challenge where a person is needed.
    func read<Value: Sendable>(
        _ request: Request, for event: AccessRecord.Event,
        _ body: @escaping @Sendable (OpenVault, ItemSummary, SecretBytes) throws -> Value
    ) async throws(Fault) -> Value {
        if let reason, reason.utf8.count > Limits.reason {
            throw Fault(.invalidArgument, "A reason may have at most \(Limits.reason) bytes.")
        }
        let granted = if let redeemed { redeemed } else { try request.redeem(challenge) }
        var outcome = try await look(request, for: event, granted, stretched: nil, body)
        if case .password(let item, let salt) = outcome, let applicationPassword {
            // Not on the vault's own queue: it takes its time, and others are not to wait for that.
            let passwords = request.core.applicationPasswords
            let stretched = try await passwords.attempt(
                applicationPassword, salt: salt, at: item, for: request)
            // Whatever changed meanwhile, the item or the lock, is judged again.
            outcome = try await look(request, for: event, granted, stretched: stretched, body)
            if case .done = outcome { passwords.succeeded(at: item, by: request.caller.uid) }
        }
        switch outcome {
        case .done(let value):
            try await request.confirmOwn()
            return value
        case .password: throw Faults.challengeRefused
        case .question(let subject, let demand, let vault):
            // A person was asked for this call already, and it was not enough: asking on and on would train people to say yes.
            if let granted, granted.purposes != [.enrolment] { throw Faults.challengeRefused }
            throw try request.ask(
                for: demand.purposes, subject: demand.purposes.contains(purpose) ? subject : nil, reason: reason,
                vault: vault,
                choice: SignatureChoice(demand.ways), enrolled: enrolled, newName: newName)
        }
    }

    /// One step of the vault: judges, and opens the value if all is there that it takes.
    private func look<Value: Sendable>(
        _ request: Request, for event: AccessRecord.Event, _ granted: Challenge?, stretched: StretchedPassword?,
        _ body: @escaping @Sendable (OpenVault, ItemSummary, SecretBytes) throws -> Value
    ) async throws(Fault) -> Outcome<Value> {
        let owner = request.vaultActor.owner
        let program = request.program(granted)
        let hasPassword = applicationPassword != nil
        return try await request.vaultActor.use { state in
            let found: Outcome<(ItemSummary, SecretBytes)> = try state.vault.look(
                service: service, account: account, includingExpired: includesExpired
            ) { view in
                // What was granted for the keys before says nothing of these.
                if let granted, granted.vault != state.record.vault { throw Faults.challengeRefused }
                let item = view.item
                let plan = try view.plan()
                let facts = ReadFacts(
                    caller: request.caller, vaultOwner: owner, standing: request.admission.standing, own: request.own,
                    item: item, plan: plan, lock: state.lock,
                    mayUnlock: mayUnlock, hasPassword: hasPassword, purpose: purpose, granted: granted)
                let demand = try ReadRules.judge(facts)
                guard demand.isEmpty else {
                    let subject = Challenge.Subject(
                        item: item.id, version: item.version, service: item.metadata.service,
                        account: item.metadata.account)
                    return .question(subject, demand, state.record.vault)
                }
                if hasPassword, stretched == nil, let salt = plan.alternatives.compactMap(\.passwordSalt).first {
                    return .password(item.id, salt: salt)
                }
                let value = try view.value(
                    classKeys: state.keys, agreements: granted?.agreements ?? [:], applicationPassword: stretched)
                return .done((item, value))
            }
            let item: ItemSummary
            let value: SecretBytes
            switch found {
            case .question(let subject, let demand, let vault): return .question(subject, demand, vault)
            case .password(let item, let salt): return .password(item, salt: salt)
            case .done(let opened): (item, value) = opened
            }
            // Where a person was asked, the reason is the one that was shown, whatever the repeated call says.
            let record = AccessRecord(
                event, by: program, of: .init(item), reason: granted.map(\.reason) ?? reason,
                detail: newName.map(\.detail) ?? granted?.means?.detail)
            if event == .read, !item.access.constraints.isEmpty {
                // Before the value leaves: what a person was asked for never goes unrecorded.
                try state.vault.note(record, .anchored)
            }
            let result = try body(state.vault, item, value)
            if event != .read { state.note(record) }
            if event == .read, item.access.constraints.isEmpty { state.note(record, .written) }
            return .done(result)
        }
    }

    private enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// All that is missing is the stretched application password.
        case password(ItemID, salt: [UInt8])
        case question(Challenge.Subject, ReadRules.Demand, VaultID)
    }
}

extension Challenge.Name {
    /// What the log says of the item that gets it.
    var detail: String { "now \(service) \(account)" }
}
