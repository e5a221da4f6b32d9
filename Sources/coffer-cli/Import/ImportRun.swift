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
    /// The items of the vault that keep their access, because the options would make them easier to read.
    private var kept: Set<ItemName> = []
    private(set) var stored: [ImportedItem] = []
    /// The revision that the broker gave each stored item at last.
    private(set) var revisions: [ItemName: String] = [:]
    /// The items that an earlier step stores a field of.
    private var begun: Set<ItemName> = []
    /// The items whose label, attributes and expiry an earlier step stores.
    private var described: Set<ItemName> = []
    /// How many fields the steps add to an item of the vault.
    private var added: [ItemName: Int] = [:]
    /// What an earlier version made an item of.
    private var folds: [Fold] = []
    private var fingers: FingerCheck

    init(
        _ session: CommandSession, access: AccessChangeOptions, noPrompt: Bool, isTrial: Bool, conflict: Conflict
    ) {
        self.session = session
        self.access = access
        self.noPrompt = noPrompt
        self.isTrial = isTrial
        self.conflict = conflict
        fingers = FingerCheck(session)
    }

    /// How many items of the vault keep their access.
    var keptAccess: Int { kept.count }

    /// A change of the vault, and what it is for.
    private struct Step {
        let item: ImportedItem
        let change: ItemChange
        let outcome: ImportOutcome.Outcome
        let note: String?
        /// What the file says beside the value, and the step does not store.
        var lacking: String?

        var result: ImportOutcome {
            let remarks = [note, lacking].compactMap { $0 }
            var result = ImportOutcome(item, outcome, remarks.isEmpty ? nil : remarks.joined(separator: "; "))
            result.isPartial = lacking != nil
            return result
        }
    }

    /// A companion that becomes a field, after the steps have stored the other fields.
    private struct Fold {
        let item: ImportedItem
        /// As it was compared.
        let companion: ItemAttributes
        /// Whether the field has the value already.
        let isThere: Bool
        let outcome: ImportOutcome.Outcome
    }

    /// - Throws: what ended it. ``outcomes`` has what was stored before.
    mutating func run(_ read: [ImportedItem]) throws(KeychainError) {
        var vault = try VaultComparison(
            session, noPrompt: noPrompt, mayAsk: !isTrial && !noPrompt)
        let now = Date()
        let items = KnownNames.matched(read, with: vault.known)
        try checkRoom(for: items, in: vault, now)
        let counts = Dictionary(grouping: items, by: VaultComparison.name).mapValues(\.count)
        let imported = Set(counts.keys)
        let companions = items.map { vault.companion(of: $0, besides: imported) }
        let known = items.compactMap { vault.field($0) } + companions.compactMap { $0.map(FieldOfItem.secret(of:)) }
        let values = known.isEmpty ? [:] : try vault.values(of: known)
        var steps: [Step] = []
        for (item, companion) in zip(items, companions) {
            // The broker takes no item that nobody could read, and one such item would refuse its whole batch.
            if item.isExpired(at: now) {
                outcomes.append(ImportOutcome(item, .expired))
                continue
            }
            if let companion, try fold(item, companion, &vault, values) { continue }
            guard let present = vault[item] else {
                let wanted = try ImportedAccess(item, access)
                if let obstacle = wanted.obstacle ?? fingers.obstacle(wanted.result) {
                    outcomes.append(ImportOutcome(item, .leftOut, obstacle))
                } else {
                    steps.append(
                        Step(
                            item: item, change: change(item, wanted.change, replacing: nil, now), outcome: .imported,
                            note: wanted.note))
                }
                continue
            }
            let wanted = try ImportedAccess(of: present, for: item, access)
            if wanted.keepsStricter { kept.insert(present.name) }
            let value = values[VaultComparison.place(item)]
            // An expired item is compared and replaced as a whole.
            let isAddition = present.field(item.fieldName) == nil && !present.isExpired(at: now)
            // A set cannot change the access control of an item with several fields.
            let hasSeveral = counts[present.name, default: 0] > 1 || present.hasFields(beside: item.fieldName)
            if value == item.value {
                try settle(item, present, wanted, &vault)
            } else if let obstacle = wanted.obstacle ?? fingers.obstacle(wanted.result) {
                if isAddition {
                    outcomes.append(ImportOutcome(item, .leftOut, obstacle))
                } else {
                    try keep(item, present, obstacle, &vault)
                }
            } else if isAddition, let obstacle = fullness(present, under: wanted.result) {
                outcomes.append(ImportOutcome(item, .leftOut, obstacle))
            } else if item.state != .live {
                // What the person put away must not replace what they use.
                try keep(item, present, nil, &vault)
            } else if try isAddition ? true : replaces(item, present) {
                var (present, change) = (present, wanted.change)
                if hasSeveral, change != nil, !isTrial, !present.isExpired(at: now) {
                    present = try tightened(present, wanted, &vault)
                    change = nil
                }
                if isAddition { added[present.name, default: 0] += 1 }
                steps.append(
                    Step(
                        item: item,
                        change: self.change(item, change, replacing: present, now, isAddition: isAddition),
                        outcome: isAddition ? .imported : .replaced, note: wanted.note,
                        lacking: isAddition ? present.lacking(of: item) : nil))
            } else {
                try keep(item, present, Self.reason(present, value, now), &vault)
            }
        }
        if isTrial {
            outcomes += steps.map(\.result)
            outcomes += folds.map { ImportOutcome($0.item, $0.outcome, "was \($0.companion.shownName)") }
        } else {
            try store(steps)
            for fold in folds { try join(fold, &vault) }
        }
    }

    /// Decides about a field that is an item of its own in the vault.
    /// - Returns: false if the field itself is to be compared.
    private mutating func fold(
        _ item: ImportedItem, _ companion: ItemAttributes, _ vault: inout VaultComparison,
        _ values: [VaultComparison.Place: [UInt8]]
    ) throws(KeychainError) -> Bool {
        let present = vault[item]
        let value = values[VaultComparison.Place(item: companion.name, field: .secret)]
        if let own = vault.field(item) {
            // An interruption left both. Another value of the companion stays where it is.
            if let value, value == item.value, values[VaultComparison.place(item)] == value,
                !own.item.isExpired(at: Date())
            {
                folds.append(Fold(item: item, companion: companion, isThere: true, outcome: .joined))
                return true
            }
            return false
        }
        let shown = companion.shownName
        func keep(_ reason: String?) throws(KeychainError) -> Bool {
            let text = "it is \(shown) in your vault" + (reason.map { ", and \($0)" } ?? "")
            try self.keep(item, companion, text, &vault)
            return true
        }
        if let present {
            guard !present.isExpired(at: Date()) else { return try keep("\(present.shownName) has expired") }
            if let obstacle = FoldedAccess.obstacle(companion, present) { return try keep(obstacle) }
            let wanted = try ImportedAccess(of: present, for: item, access)
            if let obstacle = fullness(present, under: wanted.result) { return try keep(obstacle) }
            if let obstacle = wanted.obstacle { return try keep(obstacle) }
        }
        let isSame = value == item.value
        if !isSame {
            guard value != nil else { return try keep("guarded, so it was not compared") }
            guard item.state == .live, try isTrial ? conflict.replacesUnasked : conflict.replaces(shown) else {
                return try keep(nil)
            }
        }
        added[VaultComparison.name(item), default: 0] += 1
        folds.append(
            Fold(item: item, companion: companion, isThere: false, outcome: isSame ? .joined : .replaced))
        return true
    }

    /// Stores a field, and then puts aside the item that had its value.
    private mutating func join(_ fold: Fold, _ vault: inout VaultComparison) throws(KeychainError) {
        let name = VaultComparison.name(fold.item)
        let target = try session.target(name)
        let folding = CompanionFolding(
            session: session, noPrompt: noPrompt, reason: nil, command: session.unlockCommand)
        guard case .set(let new) = change(fold.item, nil, replacing: target, Date(), isAddition: target != nil).action
        else { return }
        let joined = try folding.fold(new, from: fold.companion, into: name, target, isThere: fold.isThere)
        let wanted = try ImportedAccess(of: joined, for: fold.item, access)
        if wanted.keepsStricter { kept.insert(name) }
        outcomes.append(ImportOutcome(fold.item, fold.outcome, "was \(fold.companion.shownName)"))
        stored.append(fold.item)
        let isPossible = wanted.obstacle == nil && fingers.obstacle(wanted.result) == nil
        revisions[name] = try isPossible ? tightened(joined, wanted, &vault).revision : joined.revision
    }

    /// Why an item of the vault takes no other field; nil if it does. One such item would refuse its whole batch.
    /// - Parameter access: what the item requires then.
    private func fullness(_ present: ItemAttributes, under access: AccessControl) -> String? {
        let count = present.fields.count + added[present.name, default: 0]
        return count < access.mostFields
            ? nil : "the item in your vault has \(count) fields, and no room for another"
    }

    private mutating func replaces(_ item: ImportedItem, _ present: ItemAttributes) throws(KeychainError) -> Bool {
        let name = VisibleText.name(service: item.service, account: item.account, kind: present.kind)
        return try isTrial
            ? conflict.replacesUnasked : conflict.replaces(FieldText.shown(name, item.fieldName))
    }

    /// Why the two values were not compared.
    private static func reason(_ present: ItemAttributes, _ value: [UInt8]?, _ now: Date) -> String? {
        guard value == nil else { return nil }
        return present.isExpired(at: now)
            ? "expired in your vault, so it was not compared" : "guarded, so it was not compared"
    }

    /// Makes an item that has the same value as strict as the file and the options say.
    private mutating func settle(
        _ item: ImportedItem, _ present: ItemAttributes, _ wanted: ImportedAccess, _ vault: inout VaultComparison
    ) throws(KeychainError) {
        if let obstacle = wanted.obstacle { return outcomes.append(ImportOutcome(item, .leftOut, obstacle)) }
        let lacking = present.lacking(of: item)
        guard wanted.change != nil else {
            var outcome = ImportOutcome(item, .same, lacking)
            outcome.isPartial = lacking != nil
            return outcomes.append(outcome)
        }
        if let obstacle = fingers.obstacle(wanted.result) {
            return outcomes.append(ImportOutcome(item, .leftOut, obstacle))
        }
        if !isTrial { _ = try tightened(present, wanted, &vault) }
        let remarks = [wanted.note, lacking].compactMap { $0 }
        var outcome = ImportOutcome(item, .stricter, remarks.isEmpty ? nil : remarks.joined(separator: "; "))
        outcome.isPartial = lacking != nil
        outcomes.append(outcome)
    }

    /// Leaves another value as it is, and makes its item as strict as the options say.
    private mutating func keep(
        _ item: ImportedItem, _ present: ItemAttributes, _ reason: String?, _ vault: inout VaultComparison
    ) throws(KeychainError) {
        // Another field of the item may have been kept before.
        let present = vault.present[present.name] ?? present
        // What the file says is about its own value.
        let wanted = try ImportedAccess(of: present, for: nil, access)
        var remarks = [reason].compactMap { $0 }
        if wanted.change != nil, wanted.obstacle == nil, !present.isExpired(at: Date()) {
            if let obstacle = fingers.obstacle(wanted.result) {
                remarks.append("its access stays, because \(obstacle)")
            } else if isTrial {
                remarks.append("its access would become stricter")
            } else if present.access.requirements.isEmpty || session.mayAsk(noPrompt: noPrompt) {
                _ = try tightened(present, wanted, &vault)
                remarks.append("its access is stricter now")
            } else {
                remarks.append("its access stays, because nobody can be asked")
            }
        }
        outcomes.append(ImportOutcome(item, .kept, remarks.isEmpty ? nil : remarks.joined(separator: "; ")))
    }

    /// Makes an item of the vault as strict as is wanted, with all of its fields.
    private func tightened(
        _ present: ItemAttributes, _ wanted: ImportedAccess, _ vault: inout VaultComparison
    ) throws(KeychainError) -> ItemAttributes {
        guard let change = wanted.change else { return present }
        let edited = try session.call(
            ItemCall.edit(
                present.name, ItemEdit(access: change.checked(over: present.access)), ReadRequest()),
            for: present.shownName, noPrompt: noPrompt, command: session.unlockCommand)
        vault.note(edited)
        return edited
    }

    /// - Parameter isAddition: whether the present item gets another field, and keeps all else.
    private mutating func change(
        _ item: ImportedItem, _ access: PartialAccess?, replacing present: ItemAttributes?, _ now: Date,
        isAddition: Bool = false
    ) -> ItemChange {
        let name = VaultComparison.name(item)
        var new = NewItem(value: item.value)
        new.field = item.fieldName
        new.fieldKind = item.field.flatMap { FieldKind(rawValue: $0.kind) }
        if !isAddition, described.insert(name).inserted {
            new.label = item.label.isEmpty ? nil : item.label
            new.comment = item.comment.isEmpty ? nil : item.comment
            new.expiry = item.expires.map { $0 == 0 ? .never : .at(Date(milliseconds: $0)) }
            var former = present?.attributes ?? [:]
            // What is in use now does not stay marked as deleted or archived.
            if item.state == .live, former["state"].flatMap(ImportEntry.State.init(rawValue:)) != nil {
                former["state"] = nil
            }
            let merged = former.merging(item.attributes) { $1 }
            // Only the item's own attributes are sure to fit.
            let attributes = merged.count > ItemLimits.attributes ? item.attributes : merged
            new.attributes = present == nil && attributes.isEmpty ? nil : attributes
        }
        // A step before has stored the item, under the access control that it is to have.
        guard begun.insert(name).inserted else { return ItemChange(name, .set(new), if: .isPresent) }
        new.partialAccess = access
        // The broker takes an expired item for none, but keeps its access.
        guard let present, !present.isExpired(at: now) else { return ItemChange(name, .set(new), if: .isAbsent) }
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
            outcomes.append(step.result)
            stored.append(step.item)
            revisions[VaultComparison.name(step.item)] = result.revision ?? ""
        }
    }

    /// An error about a batch, with the place in the file instead of the change's number.
    private func ended(_ error: KeychainError, _ batch: [Step]) -> KeychainError {
        let error = error.naming(batch.count) { "\(batch[$0].item.place)" }
        // Each step has the condition that the item is as it was compared.
        guard [.alreadyExists, .changedMeanwhile, .notFound].contains(error.code) else { return error }
        return KeychainError(
            error.code, "\(error.message), because your vault changed meanwhile", advice: "run the command again",
            cause: error.cause)
    }
}

extension CommandSession {
    /// An item as it is now; nil if there is none.
    fileprivate func target(_ name: ItemName) throws(KeychainError) -> ItemAttributes? {
        do throws(KeychainError) { return try client.call(ItemCall.attributes(of: PartialName(name))) } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }
}
