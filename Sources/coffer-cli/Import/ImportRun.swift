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
    /// How many items of the vault keep their access, because the options would make them easier to read.
    private(set) var keptAccess = 0
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
        let change: ItemChange
        let outcome: ImportOutcome.Outcome
        let note: String?
    }

    /// - Throws: what ended it. ``outcomes`` has what was stored before.
    mutating func run(_ items: [ImportedItem]) throws(KeychainError) {
        let vault = try VaultComparison(
            session, noPrompt: noPrompt, mayAsk: !isTrial && !noPrompt)
        let known = items.compactMap { vault[$0] }
        let values = known.isEmpty ? [:] : try vault.values(of: known)
        var steps: [Step] = []
        let now = Date()
        for item in items {
            // The broker takes no item that nobody could read, and one such item would refuse its whole batch.
            if let expires = item.expires, expires != 0, Date(milliseconds: expires) <= now {
                outcomes.append(ImportOutcome(item, .expired))
                continue
            }
            guard let present = vault[item] else {
                let wanted = try ImportedAccess(item, access)
                if let obstacle = wanted.obstacle {
                    outcomes.append(ImportOutcome(item, .leftOut, obstacle))
                } else {
                    steps.append(
                        Step(
                            item: item, change: change(item, wanted.change, replacing: nil, now), outcome: .imported,
                            note: wanted.note))
                }
                continue
            }
            let wanted = try ImportedAccess(of: present, access)
            if wanted.keepsStricter { keptAccess += 1 }
            let value = values[VaultComparison.name(item)]
            if value == item.value {
                try settle(item, present, wanted)
            } else if let obstacle = wanted.obstacle {
                outcomes.append(ImportOutcome(item, .kept, obstacle))
            } else if item.state != .live {
                // What the person put away must not replace what they use.
                outcomes.append(ImportOutcome(item, .kept))
            } else if try replaces(item, present) {
                steps.append(
                    Step(
                        item: item, change: change(item, wanted.change, replacing: present, now), outcome: .replaced,
                        note: nil))
            } else {
                outcomes.append(ImportOutcome(item, .kept, Self.reason(present, value, now)))
            }
        }
        if isTrial {
            outcomes += steps.map { ImportOutcome($0.item, $0.outcome, $0.note) }
        } else {
            try store(steps)
        }
    }

    private mutating func replaces(_ item: ImportedItem, _ present: ItemAttributes) throws(KeychainError) -> Bool {
        let name = VisibleText.name(service: item.service, account: item.account, kind: present.kind)
        return try isTrial ? conflict.replacesUnasked : conflict.replaces(name)
    }

    /// Why the two values were not compared.
    private static func reason(_ present: ItemAttributes, _ value: [UInt8]?, _ now: Date) -> String? {
        guard value == nil else { return nil }
        return present.isExpired(at: now)
            ? "expired in your vault, so it was not compared" : "guarded, so it was not compared"
    }

    /// Makes an item that has the same value as strict as the options say.
    private mutating func settle(
        _ item: ImportedItem, _ present: ItemAttributes, _ wanted: ImportedAccess
    ) throws(KeychainError) {
        guard let change = wanted.change else { return outcomes.append(ImportOutcome(item, .same)) }
        if !isTrial {
            _ = try session.call(
                ItemCall.edit(
                    present.name, ItemEdit(access: change.checked(over: present.access)), ReadRequest()),
                for: present.shownName, noPrompt: noPrompt, command: session.unlockCommand)
        }
        outcomes.append(ImportOutcome(item, .stricter))
    }

    private func change(
        _ item: ImportedItem, _ access: PartialAccess?, replacing present: ItemAttributes?, _ now: Date
    ) -> ItemChange {
        var new = NewItem(
            value: item.value, label: item.label.isEmpty ? nil : item.label,
            comment: item.comment.isEmpty ? nil : item.comment,
            expiry: item.expires.map { $0 == 0 ? .never : .at(Date(milliseconds: $0)) })
        new.partialAccess = access
        let name = VaultComparison.name(item)
        guard let present else {
            new.attributes = item.attributes.isEmpty ? nil : item.attributes
            return ItemChange(name, .set(new), if: .isAbsent)
        }
        let merged = present.attributes.merging(item.attributes) { $1 }
        // Only the item's own attributes are sure to fit.
        new.attributes = merged.count > ItemLimits.attributes ? item.attributes : merged
        // The broker takes an expired item for none, but keeps its access.
        guard !present.isExpired(at: now) else { return ItemChange(name, .set(new), if: .isAbsent) }
        // The item that was compared, and no later state of it.
        return ItemChange(name, .set(new), if: .isUnchanged(since: present))
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
            bytes += try MessageSize.count(step.change)
            guard bytes <= BatchLimits.bytes else { break }
            count += 1
        }
        // One that is too long by itself is refused before it is sent.
        return max(1, count)
    }

    private mutating func store(batch: [Step]) throws(KeychainError) {
        let results: [ChangeOutcome]
        do throws(KeychainError) {
            results = try session.call(
                ItemCall.apply(batch.map(\.change)), for: "importing", noPrompt: noPrompt,
                command: session.unlockCommand)
        } catch { throw ended(error, batch) }
        for (step, result) in zip(batch, results) {
            outcomes.append(ImportOutcome(step.item, step.outcome, step.note))
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
        let open = present.filter { $0.access.requirements.isEmpty }
        let values = open.isEmpty ? [:] : try vault.values(of: open)
        guard values.count == open.count else { return false }
        return stored.allSatisfy { item, _ in
            values[VaultComparison.name(item)].map { $0 == item.value } ?? true
        }
    }
}
