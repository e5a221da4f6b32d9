import Authorization
import Circle
import Cryptography
import Item

/// Gives out what was changed here.
extension OpenVault {
    /// Records of what was changed here and not given out yet. Their head must be signed, and then they are committed.
    ///
    /// - Parameter heads: those that the store has. If it knows more of this vault than the vault itself, that is taken
    ///   in first.
    /// - Returns: nil if there is nothing to give out.
    /// - Throws: `.changed` if what the store has of this vault must be taken in first; `.invalidArgument` if another
    ///   copy of the vault writes, too; `.locked`, `.damaged`, `.storage`.
    package func giveOut(heads: [[UInt8]], _ classKeys: ClassKeys) throws(VaultError) -> PreparedRecords? {
        try read { (snapshot) throws(VaultError) in
            var (material, view) = try view(snapshot, classKeys)
            // A machine that has left says nothing more. Also a copy can leave so.
            guard view.role != nil else { return nil }
            try checkOwnStream(material, view, heads)
            guard !view.openGenerations.isEmpty else { return nil }
            guard view.role?.mayWrite == true else { return try told(view) }
            var bodies: [RecordBody] = []
            let unnamed = view.unnamed
            if !unnamed.isEmpty {
                bodies += view.naming(unnamed)
                // It counts with these records, and their head says what comes of it.
                material.merged = view.mergedEnds
                view = try CircleView(material, classKeys, in: snapshot)
            }
            // What this vault gave out before it was rolled back has come. A run begins behind that, and leads to both.
            if let end = view.device.end, view.ownEnd != end,
                let head = view.streams[view.device.id]?.head(at: end.chain)
            {
                bodies.append(.head(head))
            }
            let seen = view.seenRecord
            if let seen { bodies.append(.seen(seen)) }
            if view.profiles[view.device.id] != view.device.profile { bodies.append(.profile(view.device.profile)) }
            var envelopes: [PaperEnvelope] = []
            for (member, generations) in view.owed {
                // Others have the statements in records that they can open.
                let statements = member == view.paper ? view.signedStatements : []
                envelopes += try PaperSealing.envelopes(for: member, statements, generations, by: view, at: now())
            }
            guard let present = view.present else {
                return try prepared(view, bodies, given: [], from: view, envelopes)
            }
            guard let key = view.halves[present.name] else {
                throw .closedKeys(by: view.giver(of: present))
            }
            if !envelopes.isEmpty { return try prepared(view, bodies, given: [], from: view, envelopes) }
            guard !view.pending.isEmpty || !view.pendingSlots.isEmpty || !bodies.isEmpty else {
                if let shorter = try compaction(material, view, in: present, key) { return shorter }
                return try acknowledgement(view)
            }
            return try records(view, bodies, seen: seen == nil ? nil : [], in: present, key)
        }
    }

    /// What a device that only reads gives out: what it is called, and what it has taken in. So the others can wait for it.
    private func told(_ view: CircleView) throws(VaultError) -> PreparedRecords? {
        // It makes no keys, and waits for a member that does.
        guard let present = view.present, let key = view.halves[present.name] else { return nil }
        var bodies: [RecordBody] = []
        let seen = view.seenRecord
        if let seen { bodies.append(.seen(seen)) }
        if view.profiles[view.device.id] != view.device.profile { bodies.append(.profile(view.device.profile)) }
        guard !bodies.isEmpty else { return try acknowledgement(view) }
        return try records(view, bodies, seen: seen == nil ? nil : [], in: present, key)
    }

    /// Records of all that waits to be given out.
    ///
    /// - Parameters:
    ///   - opening: what is said before it.
    ///   - last: what is said behind it.
    ///   - seen: what the head names; nil for all that was taken in.
    ///   - former: what the generation itself is sealed to, if it has just been made; nil if the members have it.
    func records(
        _ view: CircleView, _ opening: [RecordBody], _ last: [RecordBody] = [], seen: [SeenEnd]? = nil,
        in present: KeyGeneration, _ key: GenerationHalves, made former: KeyGeneration? = nil
    ) throws(VaultError) -> PreparedRecords {
        let run = try run(for: view)
        var writer = try RecordWriter(view.device, after: view.ownEnd, in: run, before: view.device)
        var opening = view.beginning(of: run) + opening
        if let former, let half = view.halves[former.name] {
            for body in opening + [.generation(present)] { try writer.add(body, (former.name, half.metadata)) }
            opening = []
        }
        for body in opening { try writer.add(body, (present.name, key.metadata)) }
        var batch: [CarriedChange] = []
        var size = 0
        for (_, pending) in view.pending {
            let carried = try carried(pending, in: present, view)
            let count = carried.bytes.count
            if size + count > Self.batch, !batch.isEmpty {
                try writer.add(.changes(batch), (present.name, key.metadata))
                (batch, size) = ([], 0)
            }
            batch.append(carried)
            size += count
        }
        if !batch.isEmpty { try writer.add(.changes(batch), (present.name, key.metadata)) }
        for all in try Self.batches(of: view.pendingSlots, for: view) {
            try writer.add(.released(all), (present.name, key.metadata))
        }
        for body in last { try writer.add(body, (present.name, key.metadata)) }
        var prepared = try finish(&writer, view, seen: seen, given: view.pending.map(\.number))
        prepared.givenSlots = view.pendingSlots.map(\.change)
        return prepared
    }

    /// Slots as records carry them. A machine that was removed meanwhile gets none.
    private static func batches(
        of slots: [ReleasedSlots], for view: CircleView
    ) throws(VaultError) -> [[ReleasedSlots]] {
        var batches: [[ReleasedSlots]] = []
        var size = batch
        for one in slots {
            let left = one.slots.filter { $0.isFor(view.membership) }
            guard !left.isEmpty else { continue }
            do throws(CircleFormError) {
                let one = try ReleasedSlots(of: one.change, left)
                if size + one.bytes.count > batch || batches.isEmpty {
                    batches.append([])
                    size = 0
                }
                batches[batches.count - 1].append(one)
                size += one.bytes.count
            } catch { throw .impossible(error) }
        }
        return batches
    }

    /// About how many bytes of changes one record has.
    private static let batch = 128 << 10

    private func checkOwnStream(
        _ material: CircleMaterial, _ view: CircleView, _ heads: [[UInt8]]
    ) throws(VaultError) {
        guard let stream = view.streams[view.device.id], let end = view.device.end else { return }
        var chains: [UInt64: ChainHash] = [:]
        var former: Set<RunID> = []
        for one in stream.counted {
            let header = one.record.header
            if header.run == end.run { chains[header.number] = one.after } else { former.insert(header.run) }
        }
        let shown = try Self.fresh(heads: heads, segments: [], material).heads.filter {
            $0.head.device == view.device.id
        }
        let own = OwnStream(
            end: end, chains: chains, formerRuns: former, ended: view.compacted[view.device.id]?.ends ?? [:])
        switch own.step(shown: shown, circle: view.device.circle, keys: view.device.keys) {
        case .goOn: break
        case .beginRun:
            throw VaultError(.changed, "the store has what this vault gave out and lost since", advice: "try again")
        case .ask:
            throw VaultError(
                .invalidArgument, "another copy of this vault writes to the store, too",
                advice:
                    "stop the other copy; then run here: coffer sync leave, and to come back: coffer sync join FOLDER")
        }
    }

    /// A change with its value's key wrapped for this generation.
    private func carried(
        _ pending: PendingChange, in present: KeyGeneration, _ view: CircleView
    ) throws(VaultError) -> CarriedChange {
        if let value = pending.carried.value, value.slots.contains(where: \.isGuarded) {
            let left = value.slots.filter { $0.isFor(view.membership) }
            // What nobody is left for is sealed to the members in any case.
            guard !left.isEmpty else { return pending.carried }
            do throws(CircleFormError) {
                return try CarriedChange(pending.carried.change, value.with(left))
            } catch { throw .impossible(error) }
        }
        guard pending.generation != present.name, let value = pending.carried.value,
            case .field(let field) = pending.carried.change.part,
            case .value(let content)? = pending.carried.change.content
        else { return pending.carried }
        guard let halves = view.halves[pending.generation], let revision = RevisionID(bytes: content.revision),
            let item = ItemID(bytes: value.item.bytes)
        else { throw .damaged("a change that waits has no key") }
        let context = FieldContext(
            vault: format.vault, item: item, field: field, access: content.access, seal: .third(revision),
            name: ItemName(service: "", account: ""))
        let former = MembersSlot(
            circle: view.device.circle, generation: pending.generation, value: context, revision: revision)
        let key = try cryptography { () throws(CryptographyError) -> SecretBytes? in
            for slot in value.slots { if let key = try former.unwrap(slot, halves) { return key } }
            return nil
        }
        guard let key else { throw .vaultIsLocked }
        let slot = try MembersSlot(
            circle: view.device.circle, generation: present.name, value: context, revision: revision
        ).wrap(key, present)
        do throws(CircleFormError) {
            return try CarriedChange(pending.carried.change, value.with([slot]))
        } catch { throw .impossible(error) }
    }
}
