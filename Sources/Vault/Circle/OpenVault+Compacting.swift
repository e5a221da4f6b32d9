import Authorization
import Circle
import Cryptography
import Item

/// Gives out once more what the others still need of this vault's records, so that the rest can go
/// (docs/sync-format.md, “Compaction”).
extension OpenVault {
    /// - Returns: nil if it is not worth it.
    /// - Throws: `.locked`, `.damaged`, `.storage`.
    func compaction(
        _ material: CircleMaterial, _ view: CircleView, in present: KeyGeneration, _ key: GenerationHalves
    ) throws(VaultError) -> PreparedRecords? {
        let own = material.segments.filter { $0.device == view.device.id }
        let given = GivenAmount(size: own.reduce(0) { $0 + $1.count }, files: own.count)
        guard given.isMuch(room), let stream = view.streams[view.device.id], !stream.isSuspended else { return nil }
        let count = view.state.count(of: view.device.id)
        guard given.hasManyFiles(room) || count.present * 2 <= count.all,
            given.isMore(than: triedCompaction.withLock({ $0 })),
            let new = try Repetition(view, stream, at: now(), in: self)
        else { return nil }
        guard new.amount.isHalf(of: given, room) else {
            triedCompaction.withLock { $0 = given }
            return nil
        }
        let run = try run(for: view)
        var writer = try RecordWriter(view.device, after: view.ownEnd, in: run, before: view.device)
        for body in view.beginning(of: run) { try writer.add(body, (present.name, key.metadata)) }
        for (body, generation) in new.bodies {
            let (said, keys) = Self.saying(body, of: generation, in: present.name)
            guard let keys else {
                try writer.add(said, nil)
                continue
            }
            guard let half = view.halves[keys]?.metadata else { return nil }
            try writer.add(said, (keys, half))
        }
        for past in new.past { try writer.add(.past(past), (present.name, key.metadata)) }
        let summary = try StreamSummary(
            standing: new.bodies.count + new.past.count, said: new.said, view, before: run)
        try writer.add(.summary(summary), (present.name, key.metadata))
        return try finish(&writer, view, given: [])
    }

    /// How something is said again, and the generation that it is sealed to.
    private static func saying(
        _ body: RecordBody, of generation: StatementName?, in present: StatementName
    ) -> (RecordBody, StatementName?) {
        // A generation's keys are in it, so it is sealed to the one before.
        if case .generation = body { return (body, generation) }
        guard let generation, generation != present else { return (body, generation) }
        // Who was removed since, and has the keys of that time, need not learn what is still of use.
        return (.again(body, of: generation), present)
    }

    /// The files of this device that a store can do without: it has all that stands for them.
    ///
    /// - Parameters:
    ///   - names: what the store has.
    ///   - heads: those of the store.
    package func endedFiles(
        among names: [StorePath], heads: [[UInt8]], _ classKeys: ClassKeys
    ) throws(VaultError) -> [StorePath] {
        try read { (snapshot) throws(VaultError) in
            let (material, view) = try view(snapshot, classKeys)
            let own = view.device.id
            guard view.role != nil, let compacted = view.compacted[own], let head = material.lastHead(of: own),
                heads.contains(head.bytes),
                Set(names).isSuperset(of: material.segments(of: own).map(\.path))
            else { return [] }
            let files = names.compactMap { path -> (path: StorePath, run: RunID, number: UInt64)? in
                guard case .segment(view.device.circle, own, let number, let run) = path else { return nil }
                return (path, run, number)
            }.sorted { ($0.run, $0.number) < ($1.run, $1.number) }
            let kept = Set(material.segments(of: own).map(\.path))
            return files.indices.filter { place in
                let file = files[place]
                guard !kept.contains(file.path) else { return false }
                guard file.run == view.device.end?.run else { return compacted.covers(file.run, file.number) }
                // A file goes up to the next one of its run.
                let next = files.indices.contains(place + 1) ? files[place + 1] : nil
                return next.map { $0.run == file.run && compacted.covers(file.run, $0.number - 1) } ?? false
            }.map { files[$0].path }
        }
    }
}

extension StreamSummary {
    /// - Parameters:
    ///   - count: how many records stand for the others.
    ///   - run: the one that it is written in.
    fileprivate init(standing count: Int, said: UInt64, _ view: CircleView, before run: RunID) throws(VaultError) {
        do throws(CircleFormError) {
            try self.init(
                count: UInt32(clamping: count), said: said, runs: view.endedRuns(before: run), seen: view.allSeen)
        } catch { throw .impossible(error) }
    }
}

/// How much a device has given out, or would give out in its place.
struct GivenAmount {
    /// In bytes.
    var size = 0
    var files = 0

    /// Whether it is so much that the device looks for a compaction.
    func isMuch(_ room: Room) -> Bool { size >= room.given || hasManyFiles(room) }

    func hasManyFiles(_ room: Room) -> Bool { files >= room.givenFiles }

    /// Whether it is a quarter more than when a compaction was not worth it. To find that out takes opening all of it.
    func isMore(than tried: GivenAmount) -> Bool { size / 5 * 4 >= tried.size || files / 5 * 4 >= tried.files }

    /// Whether it is worth giving out in the place of another amount.
    func isHalf(of given: GivenAmount, _ room: Room) -> Bool {
        size * 2 <= given.size || given.hasManyFiles(room) && files * 2 <= given.files
    }
}

/// What the others still need of a vault's records.
private struct Repetition {
    /// Each with the generation that it was sealed to at first, so that everybody can tell who could read it.
    private(set) var bodies: [(body: RecordBody, generation: StatementName?)] = []
    private(set) var past: [PastChanges] = []
    /// The number of the last record that told something new.
    private(set) var said: UInt64
    /// About how long the records are, in bytes.
    private var size = 0

    /// - Returns: nil if a record does not open here, or is too long to be said again.
    init?(
        _ view: CircleView, _ stream: DeviceStream, at now: UInt64, in vault: OpenVault
    ) throws(VaultError) {
        let own = view.device.id
        let former = view.compacted[own]?.former ?? []
        let counted = stream.counted.filter { !former.contains($0.after) }
            .sorted { ($0.record.header.number, $0.after) < ($1.record.header.number, $1.after) }
        said = view.compacted[own]?.summary.said ?? 0
        var records: [CircleView.OpenedRecord] = []
        for one in counted {
            guard let found = try view.open(one.record) else { return nil }
            if !view.silent.contains(one.after) { said = max(said, one.record.header.number) }
            records.append(found)
        }
        var values: [RevisionName: (carried: CarriedChange, generation: StatementName)] = [:]
        var changes: [PartChange] = []
        for case (.changes(let all), let generation?) in records {
            for carried in all {
                changes.append(carried.change)
                if carried.value != nil { values[carried.change.name] = (carried, generation) }
            }
        }
        var digests: [StatementName: Set<UInt64>] = [:]
        var unopened: Set<RevisionName> = []
        // What is compared later is opened now. What does not open stays.
        func plan(_ unopened: Set<RevisionName>) throws(VaultError) -> Compaction {
            try merging { () throws(MergingError) in
                try Compaction(of: changes, in: view.state, by: own, now: now) { unopened.contains($0.name) }
            }
        }
        var compaction = try plan(unopened)
        for name in compaction.past.sorted() {
            guard let (carried, generation) = values[name] else { continue }
            guard let digest = try Self.digest(carried, generation, view, in: vault) else {
                unopened.insert(name)
                continue
            }
            digests[generation, default: []].insert(digest)
        }
        if !unopened.isEmpty { compaction = try plan(unopened) }
        var names = Set(compaction.past.map(\.number))
        for former in try view.ownPast() {
            names.formUnion(former.names)
            for part in former.values { digests[part.generation, default: []].formUnion(part.digests) }
        }
        past = PastChanges.records(names: names, values: digests)
        try add(records, without: compaction, view)
        for one in bodies { guard try Self.count(one.body) <= Self.most else { return nil } }
        for change in compaction.covers { try append(.changes([Self.carried(change)]), view.present?.name) }
        size += past.reduce(0) { $0 + $1.bytes.count }
    }

    /// About how much the records take.
    var amount: GivenAmount { GivenAmount(size: size, files: size / CircleLimits.segment * 2 + 1) }

    private static func carried(_ change: PartChange) throws(VaultError) -> CarriedChange {
        do throws(CircleFormError) { return try CarriedChange(change) } catch { throw .impossible(error) }
    }

    /// - Returns: nil for a value that does not open.
    private static func digest(
        _ carried: CarriedChange, _ generation: StatementName, _ view: CircleView, in vault: OpenVault
    ) throws(VaultError) -> UInt64? {
        guard let value = carried.value, let halves = view.halves[generation],
            let opened = try OpenedValue(
                carried.change, (value, generation), in: view, of: vault.format.vault,
                as: ItemName(service: "", account: ""))
        else { return nil }
        return try cryptography { () throws(CryptographyError) in
            try PastValueDigest.of(opened.plain, in: carried.change.item, generation, halves)
        }
    }

    private mutating func add(
        _ records: [CircleView.OpenedRecord], without compaction: Compaction, _ view: CircleView
    ) throws(VaultError) {
        let present = view.state.present
        let profiles = records.indices.filter { if case .profile = records[$0].body { true } else { false } }
        for (place, (body, generation)) in records.enumerated() {
            switch body {
            case .statement, .generation: try append(body, generation)
            case .changes(let all):
                let left = all.filter { !compaction.past.contains($0.change.name) }
                if !left.isEmpty { try append(.changes(left), generation) }
            // Of members, the summary has the last ones. Of others, each decides what counts.
            case .seen(let seen) where seen.contains { view.membership.others.contains($0.device) }:
                try append(body, generation)
            case .seen: break
            case .head(let head): if head.head.device != view.device.id { try append(body, generation) }
            case .profile: if place == profiles.last { try append(body, generation) }
            case .released(let all):
                // Also for a value that is not here yet.
                let left = all.filter { present.contains($0.change) || !view.state.has($0.change) }
                if !left.isEmpty { try append(.released(left), generation) }
            case .paper(let envelope):
                if view.membership.members.contains(where: { $0.keys.device == envelope.device }) {
                    try append(body, generation)
                }
            // They are made anew.
            case .past, .summary: break
            case .again, .unknown: try append(body, generation)
            }
        }
    }

    /// Changes of values that ask nobody are put together, as far as one record has room for them.
    private mutating func append(_ body: RecordBody, _ generation: StatementName?) throws(VaultError) {
        let count = try Self.count(body)
        size += count
        guard case .changes(let new) = body, case .changes(let last)? = bodies.last?.body,
            bodies.last?.generation == generation, (last + new).allSatisfy({ !$0.isGuarded }),
            last.count + new.count <= CircleLimits.changes, lastCount + count <= Self.batch
        else {
            bodies.append((body, generation))
            lastCount = count
            return
        }
        bodies[bodies.count - 1].body = .changes(last + new)
        lastCount += count
    }

    private static func count(_ body: RecordBody) throws(VaultError) -> Int {
        do throws(CircleFormError) { return try body.bytes().count } catch { throw .impossible(error) }
    }

    /// A body that is said again has a kind and a generation before it.
    private static let most = CircleLimits.body - 1 - StatementName.count

    private var lastCount = 0
    /// About how many bytes one record has.
    private static let batch = 128 << 10
}

extension CarriedChange {
    fileprivate var isGuarded: Bool { value.map { $0.slots.contains(where: \.isGuarded) } ?? false }
}

extension CircleView {
    /// For each former run of this device, the number of its last record. Of too many, the last ones are named.
    fileprivate func endedRuns(before run: RunID) -> [StreamSummary.Run] {
        var ends = compacted[device.id]?.ends ?? [:]
        for one in streams[device.id]?.counted ?? [] {
            let header = one.record.header
            ends[header.run] = max(ends[header.run] ?? 0, header.number)
        }
        ends[run] = nil
        let last = ends.sorted { ($1.value, $1.key) < ($0.value, $0.key) }.prefix(CircleLimits.runs)
        return last.map { StreamSummary.Run($0.key, $0.value) }.sorted { $0.run < $1.run }
    }

    /// How far this vault has taken in every other device's stream, or what it has said of that before. What it says of a
    /// removed device decides what counts, so that stays as it was.
    fileprivate var allSeen: [SeenEnd] {
        let heads = streams[device.id]?.newest?.head.seen ?? []
        return streams.keys.sorted().filter { $0 != device.id }.compactMap { id in
            let isRemoved = membership.others.contains(id)
            let records = vouched.ends(by: device.id, of: id).map { SeenEnd(id, $0) }
            let former = (isRemoved ? records : records + heads.filter { $0.device == id })
                .max { $0.end.number < $1.end.number }
            return isRemoved ? former : takenIn(of: id).map { SeenEnd(id, $0) } ?? former
        }
    }
}
