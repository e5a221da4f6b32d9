import Authorization
import Circle
import Cryptography
import Item

/// The changes that end one conflict.
struct ConflictDecision {
    private let vault: OpenVault
    private let place: ConflictSearch.Place
    /// What values are sealed to until they are given out.
    private let generation: KeyGeneration
    /// The circle with the changes in it.
    private(set) var view: CircleView
    /// The fields that were made for what was not taken.
    private(set) var fields: [FieldName] = []

    /// - Throws: `.locked` if this device can open no generation.
    init(_ vault: OpenVault, _ view: CircleView, _ place: ConflictSearch.Place) throws(VaultError) {
        guard let generation = view.usable else {
            throw .vaultIsLocked
        }
        (self.vault, self.view, self.place, self.generation) = (vault, view, place, generation)
    }

    private var writer: PartWriter { PartWriter(view.state, writer: view.device.id, now: vault.now()) }

    /// The item with what was changed until now.
    private var item: SharedItem { view.state.items.first { $0.ids.contains(place.item.id) } ?? place.item }

    /// Replaces all revisions by one of them.
    mutating func take(_ taken: PartChange, _ change: Change) throws(VaultError) {
        guard let content = taken.content else { throw .unreadableRevision }
        var carried: CarriedValue?
        if place.part.isField {
            // A value that does not open would hold up everything that is given out.
            guard let opened = try opened(taken) else { throw .unreadableRevision }
            carried = try with(slot(opened.key, opened.context, opened.revision), opened.carried)
        }
        if case .name(let name) = content {
            let holder = try change.item(service: name.service, account: name.account, kind: name.itemClass)
            guard holder == nil || holder?.summary.id == place.here.summary.id else {
                throw VaultError(
                    .alreadyExists, "another item has this name", advice: "give the other one another name first")
            }
        }
        let part = place.part
        // One change replaces 1,024 revisions. What a hostile member has written more takes another one.
        var left = Int.max
        while item.revisions(of: part).count > 1 {
            let (writer, item) = (writer, item)
            guard item.revisions(of: part).count < left else { throw .damaged("a conflict does not end") }
            left = item.revisions(of: part).count
            try add(
                merging { () throws(MergingError) in
                    if case .name(let name) = content { return try writer.rename(item, to: name) }
                    return try writer.set(part, of: item, to: content)
                }, carried)
        }
    }

    /// Makes each of these values a field of its own.
    mutating func keep(others: [PartChange]) throws(VaultError) {
        guard case .field(let field) = place.part else {
            throw VaultError(.invalidArgument, "only values can both be kept", advice: "take one of them")
        }
        let room = ItemLimits.fields - item.parts.count(where: \.isField)
        guard others.count <= room else {
            throw VaultError(
                .limitExceeded,
                "the item has room for \(max(room, 0)) more fields, and \(others.count) more values would be kept",
                advice: "remove a field first, or take one of the values")
        }
        guard let sealedFor = SharedItemID(bytes: place.here.summary.id.bytes) else { throw .changed }
        for other in others {
            guard let opened = try opened(other) else { throw .unreadableRevision }
            let name = freeName(field, other.stamp.writer)
            let revision = try cryptography { () throws(CryptographyError) in try RevisionID.random() }
            let fresh = try FreshValue(
                opened.plain,
                FieldContext(
                    vault: vault.format.vault, item: place.here.summary.id, field: name,
                    access: place.here.record.access,
                    seal: .third(revision), name: place.here.summary.metadata.name))
            let (writer, item) = (writer, item)
            let content = try SealedField(fresh, revision)
            let slot = try slot(fresh.key, fresh.context, revision)
            let carried: CarriedValue
            do throws(CircleFormError) {
                carried = try CarriedValue(
                    kind: opened.carried.kind, item: sealedFor, commitment: fresh.commitment, slots: [slot],
                    sealed: fresh.sealed)
            } catch { throw .impossible(error) }
            try add(
                merging { () throws(MergingError) in try writer.set(.field(name), of: item, to: .value(content)) },
                carried)
            fields.append(name)
        }
    }

    /// FIELD-MACHINE, or FIELD-MACHINE-2 and so on.
    private func freeName(_ field: FieldName, _ writer: WriterID) -> FieldName {
        let machine = view.profiles[writer]?.name.text ?? String(Hex.encode(writer.bytes).prefix(8))
        let taken = Set(item.parts + place.here.summary.metadata.fields.map { .field($0.name) })
        var number = 1
        while true {
            let end = "-\(machine)" + (number == 1 ? "" : "-\(number)")
            var start = field.text
            while start.utf8.count + end.utf8.count > ItemLimits.fieldName { start.removeLast() }
            if let name = FieldName(start + end), !taken.contains(.field(name)) { return name }
            number += 1
        }
    }

    private func opened(_ change: PartChange) throws(VaultError) -> OpenedValue? {
        try OpenedValue(
            change, view.value(of: change), in: view, of: vault.format.vault, as: place.here.summary.metadata.name)
    }

    private func slot(
        _ key: SecretBytes, _ context: FieldContext, _ revision: RevisionID
    ) throws(VaultError) -> ValueSlot {
        try MembersSlot(
            circle: view.device.circle, generation: generation.name, value: context, revision: revision
        ).wrap(key, generation)
    }

    private func with(_ slot: ValueSlot, _ value: CarriedValue) throws(VaultError) -> CarriedValue {
        do throws(CircleFormError) { return try value.with([slot]) } catch { throw .impossible(error) }
    }

    private mutating func add(_ change: PartChange, _ value: CarriedValue?) throws(VaultError) {
        do throws(CircleFormError) {
            view.add(PendingChange(generation: generation.name, try CarriedChange(change, value)))
        } catch { throw .impossible(error) }
    }
}

extension SealedField {
    init(_ fresh: FreshValue, _ revision: RevisionID) throws(VaultError) {
        let digest = try cryptography { () throws(CryptographyError) in try SHA256.digest(fresh.sealed) }
        guard let field = SealedField(revision: revision.bytes, digest: digest, access: fresh.context.access) else {
            throw .damaged("a value has no digest")
        }
        self = field
    }
}
