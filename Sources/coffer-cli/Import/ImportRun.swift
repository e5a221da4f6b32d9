import BrokerProtocol
import Coffer
import FoundationEssentials
import Import

/// Stores what was read in batches. Each batch is stored whole or not at all.
struct ImportRun {
    let session: CommandSession
    let access: AccessChangeOptions
    let noPrompt: Bool
    let isTrial: Bool
    var conflict: Conflict

    private(set) var outcomes: [ImportOutcome] = []
    /// What was stored, with the revision that the broker gave it.
    private var stored: [(item: ImportedItem, revision: String)] = []

    init(
        _ session: CommandSession, access: AccessChangeOptions, noPrompt: Bool, isTrial: Bool, conflict: Conflict
    ) {
        self.session = session
        self.access = access
        self.noPrompt = noPrompt
        self.isTrial = isTrial
        self.conflict = conflict
    }

    /// A change of the vault, and the secret that it is for.
    private struct Step {
        let item: ImportedItem
        let change: Keychain.Change
        let outcome: ImportOutcome.Outcome
    }

    /// - Throws: what ended it. ``outcomes`` has what was stored before.
    mutating func run(_ items: [ImportedItem]) throws(KeychainError) {
        let vault = try VaultComparison(
            session, noPrompt: noPrompt, mayAsk: !isTrial && session.mayUnlock(noPrompt: noPrompt))
        let known = items.compactMap { vault[$0] }
        let values = known.isEmpty ? [:] : try vault.values(of: known)
        var steps: [Step] = []
        let now = Date().timeIntervalSince1970 * 1000
        for item in items {
            // The broker takes no item that nobody could read, and one such item would refuse its whole batch.
            if let expires = item.expires, expires != 0, Double(expires) <= now {
                outcomes.append(ImportOutcome(item, .expired))
                continue
            }
            guard let present = vault[item] else {
                steps.append(Step(item: item, change: try change(item, replacing: nil), outcome: .imported))
                continue
            }
            let value = values[VaultComparison.name(item)]
            if value == Data(item.value).base64EncodedString() {
                outcomes.append(ImportOutcome(item, .same))
                continue
            }
            let name = VisibleText.name(service: item.service, account: item.account, kind: present.kind)
            let reason = value == nil ? "guarded, so it was not compared" : nil
            if try isTrial ? conflict.replacesUnasked : conflict.replaces(name) {
                steps.append(Step(item: item, change: try change(item, replacing: present), outcome: .replaced))
            } else {
                outcomes.append(ImportOutcome(item, .kept, reason))
            }
        }
        if isTrial {
            outcomes += steps.map { ImportOutcome($0.item, $0.outcome) }
        } else {
            try store(steps)
        }
    }

    private func change(
        _ item: ImportedItem, replacing present: Keychain.Item?
    ) throws(KeychainError) -> Keychain.Change {
        var change = Keychain.Change(
            action: .set, service: item.service, account: item.account,
            kind: item.kind.flatMap(Keychain.ItemKind.init(rawValue:)),
            value: Data(item.value).base64EncodedString(), label: item.label.isEmpty ? nil : item.label,
            comment: item.comment.isEmpty ? nil : item.comment, expires: item.expires)
        guard let present else {
            change.attributes = item.attributes.isEmpty ? nil : item.attributes
            change.mode = .new
            change.access = try wantedAccess(item)
            return change
        }
        change.attributes = present.attributes.merging(item.attributes) { $1 }
        change.mode = .existing
        // The item that was compared, and no later state of it.
        change.ifRevision = present.revision
        let wanted = access.applied(to: present.access)
        // A file never makes an item easier to read.
        if access.isSome, AccessWeakening(from: present.access, to: wanted) == nil { change.access = access.change }
        return change
    }

    /// What the options say, over what the file says.
    private func wantedAccess(_ item: ImportedItem) throws(KeychainError) -> Keychain.AccessChange? {
        guard let written = item.access else { return access.change }
        guard let accessibility = Keychain.Accessibility(rawValue: written.accessibility) else {
            throw Self.unknownAccess(item)
        }
        let require = written.require.compactMap(Keychain.Constraint.init(rawValue:))
        // An item is never stored with fewer requirements than it had.
        guard require.count == written.require.count else { throw Self.unknownAccess(item) }
        let control = Keychain.AccessControl(
            accessibility: accessibility, thisDeviceOnly: false, require: require, any: written.any)
        return Keychain.AccessChange(access.applied(to: control))
    }

    private static func unknownAccess(_ item: ImportedItem) -> KeychainError {
        KeychainError(
            .failed, "\(item.place): this version of Coffer does not know its access control",
            advice: "use a newer coffer")
    }

    private mutating func store(_ steps: [Step]) throws(KeychainError) {
        var progress = ProgressLine(total: steps.count, verb: "Imported")
        defer { progress.clear() }
        var rest = steps[...]
        while !rest.isEmpty {
            let batch = rest.prefix(try Self.batchCount(rest))
            try store(batch: Array(batch))
            rest = rest.dropFirst(batch.count)
            progress.show(steps.count - rest.count)
        }
    }

    /// How many steps fit into one call.
    private static func batchCount(_ steps: ArraySlice<Step>) throws(KeychainError) -> Int {
        var bytes = 0
        var count = 0
        for step in steps.prefix(BatchLimits.changes) {
            do { bytes += try JSONEncoder().encode(step.change).count } catch {
                throw KeychainError(.failed, "\(step.item.place) cannot be sent to the broker")
            }
            guard bytes <= BatchLimits.bytes else { break }
            count += 1
        }
        // One that is too long by itself is left to the broker to refuse.
        return max(1, count)
    }

    private mutating func store(batch: [Step]) throws(KeychainError) {
        let results: [Keychain.ChangeResult]
        do throws(KeychainError) {
            results = try session.call(
                Keychain.Apply(changes: batch.map(\.change)), for: "importing", noPrompt: noPrompt,
                command: session.unlockCommand
            ).results
        } catch { throw ended(error, batch) }
        guard results.count == batch.count else {
            throw KeychainError(.protocolViolation, "the broker did not say what it stored")
        }
        for (step, result) in zip(batch, results) {
            outcomes.append(ImportOutcome(step.item, step.outcome))
            stored.append((step.item, result.revision ?? ""))
        }
    }

    /// An error about a batch, with the place in the file instead of the change's number.
    private func ended(_ error: KeychainError, _ batch: [Step]) -> KeychainError {
        var message = error.message
        if message.hasPrefix("change "), let colon = message.firstIndex(of: ":"),
            let number = Int(message[message.index(message.startIndex, offsetBy: 7)..<colon]),
            batch.indices.contains(number - 1)
        {
            message = "\(batch[number - 1].item.place)\(message[colon...])"
        }
        return KeychainError(
            error.code, message, advice: error.advice, accounts: error.accounts, tpmCode: error.tpmCode,
            cause: error.cause)
    }

    /// Whether the vault has what was stored: the value if it can be read without a person, otherwise the state that the broker named.
    func isVerified() throws(KeychainError) -> Bool {
        let vault = try VaultComparison(session, noPrompt: true, mayAsk: false)
        let present = stored.compactMap { vault[$0.item] }
        guard present.count == stored.count, zip(present, stored).allSatisfy({ $0.revision == $1.revision }) else {
            return false
        }
        let open = present.filter { $0.access.require.isEmpty }
        let values = open.isEmpty ? [:] : try vault.values(of: open)
        guard values.count == open.count else { return false }
        return stored.allSatisfy { item, _ in
            values[VaultComparison.name(item)].map { $0 == Data(item.value).base64EncodedString() } ?? true
        }
    }
}
