import Circle
import Cryptography
import Vault

/// A circle as its machines have left it in a store: each writer has compacted its stream, and changed a little since
/// (docs/sync-format.md). All that lies there is made and signed as machines do it.
package struct GrownCircle {
    package let circle: StatementName
    package private(set) var devices: [GrownDevice]
    package private(set) var statements: [SignedStatement]
    package private(set) var heads: [SignedHead] = []
    /// What one more change adds to the store: a segment, and a head in place of its device's.
    package private(set) var oneMore: (segment: RecordSegment, head: SignedHead)?
    private(set) var generations: [GrownGeneration] = []
    private let plan: GrowthPlan

    /// - Parameter request: of a machine that is added with the last ones.
    package init(_ plan: GrowthPlan, adding request: JoinRequest? = nil) throws {
        self.plan = plan
        let founder = try GrownDevice(0, .admin, in: nil, seed: plan.seed)
        let founding = try Statement(founder: founder.keys)
        circle = founding.name
        (devices, statements) = ([founder], [try founder.signed(founding)])
        var numbers = GrowthNumbers(seed: plan.seed &+ 11)
        generations = [
            try GrownGeneration(Membership(of: circle, statements), in: circle, by: founder.keys.device, &numbers)
        ]
        var known: [(statements: Range<Int>, generation: Int)] = []
        for wave in 0..<plan.waves {
            let first = statements.count
            let (from, to) = (
                1 + (plan.devices - 1) * wave / plan.waves, 1 + (plan.devices - 1) * (wave + 1) / plan.waves
            )
            for number in from..<to {
                let role: MemberRole = number < plan.writers ? .admin : .reader
                let device = try GrownDevice(number, role, in: circle, seed: plan.seed)
                try add(device.keys, role)
                devices.append(device)
            }
            if wave == plan.waves - 1, let request { try add(request.keys, .reader) }
            generations.append(
                try GrownGeneration(
                    Membership(of: circle, statements), in: circle, by: founder.keys.device, &numbers))
            known.append((first..<statements.count, wave))
        }
        let writers = devices.prefix(plan.writers).map(\.keys.device)
        let history = try GrownHistory(plan, writers, generations)
        try writeStreams(history, known, &numbers)
    }

    private mutating func add(_ keys: MemberKeys, _ role: MemberRole) throws {
        let last = statements[statements.count - 1].statement.name
        statements.append(
            try devices[0].signed(
                Statement(circle: circle, signer: devices[0].keys.device, past: [last], .addition(keys, role))))
    }

    var present: GrownGeneration { generations[generations.count - 1] }

    private static let now: UInt64 = 1_780_000_000_000

    private mutating func writeStreams(
        _ history: GrownHistory, _ waves: [(statements: Range<Int>, generation: Int)], _ numbers: inout GrowthNumbers
    ) throws {
        // The last change of all is not in the store yet.
        let clocks = history.changes.map { $0.last?.stamp.clock ?? 0 }
        let newest = clocks.indices.max { clocks[$0] < clocks[$1] } ?? 0
        var given = history.changes
        let oneMore = given[newest].popLast()
        var state = SharedState()
        _ = state.take(all: given.flatMap { $0 }.sorted { $0.stamp < $1.stamp })
        let digest = try state.digest.bytes
        // Readers have said what they are called.
        for place in devices.indices.dropFirst(plan.writers) {
            try devices[place].write(.profile(devices[place].profile), present)
            try devices[place].close()
        }
        // What was compacted has gone: of the founder also the first two records.
        for place in 0..<plan.writers {
            let gone = max(given[place].count - plan.tail, 0) + (place == 0 ? 2 : 0)
            try devices[place].skip(UInt64(gone), &numbers)
        }
        let past = try pasts(given, state)
        for place in 0..<plan.writers {
            let covers = try covers(place, given, past)
            try writeStream(place, given[place], past[place], covers, history, waves)
        }
        let ends = try devices.prefix(plan.writers).map { SeenEnd($0.keys.device, try $0.end) }
            .sorted { $0.device < $1.device }
        for device in devices {
            // Everybody has taken in all that writers have given out.
            let seen = ends.filter { $0.device != device.keys.device }
            heads.append(
                try device.head(at: Self.now, digest: digest, seen: Array(seen.prefix(StreamHead.mostSeen))))
        }
        guard let oneMore else { return }
        var writer = devices[newest]
        let count = writer.segments.count
        try writer.write(.changes([CarriedChange(oneMore, history.values[oneMore.name]?.carried)]), present)
        try writer.close()
        state.take(oneMore)
        let head = try writer.head(at: Self.now + 1, digest: state.digest.bytes, seen: heads[newest].head.seen)
        self.oneMore = (writer.segments[count], head)
    }

    /// What each writer has left out: of what it had changed by its compaction, all that could end.
    private func pasts(_ given: [[PartChange]], _ state: SharedState) throws -> [Set<RevisionName>] {
        try given.indices.map { place in
            let all = given[place]
            return try Compaction(of: all, in: state, by: devices[place].keys.device, now: Self.now).past
                .intersection(all.dropLast(min(plan.tail, all.count)).map(\.name))
        }
    }

    /// What a writer names in place of what it has left out. Machines compact one after the other, so it knows what the
    /// others have left out before.
    private func covers(
        _ place: Int, _ given: [[PartChange]], _ past: [Set<RevisionName>]
    ) throws -> [PartChange] {
        let others = given.indices.filter { $0 != place }
        var state = SharedState(past: Set(others.flatMap { past[$0].map(\.number) }))
        let left = others.flatMap { other in given[other].filter { !past[other].contains($0.name) } }
        _ = state.take(all: (left + given[place]).sorted { $0.stamp < $1.stamp })
        return try Compaction(of: given[place], in: state, by: devices[place].keys.device, now: Self.now).covers
    }

    /// What stays of a writer's changes after its compaction, and what it has changed since.
    private mutating func writeStream(
        _ place: Int, _ all: [PartChange], _ past: Set<RevisionName>, _ covers: [PartChange], _ history: GrownHistory,
        _ waves: [(statements: Range<Int>, generation: Int)]
    ) throws {
        let former = all.dropLast(min(plan.tail, all.count))
        let said = devices[place].number
        var bodies: [(body: RecordBody, generation: GrownGeneration?)] = []
        if place == 0 {
            bodies += [(.statement(statements[0]), nil), (.generation(generations[0].public), nil)]
            for (range, former) in waves {
                for signed in statements[range] {
                    bodies.append((.again(.statement(signed), of: generations[former].public.name), present))
                }
                bodies.append((.generation(generations[former + 1].public), generations[former]))
            }
        }
        bodies.append((.profile(devices[place].profile), present))
        bodies += try changeBodies(former.filter { !past.contains($0.name) }, history)
        for cover in covers { bodies.append((.changes([try CarriedChange(cover)]), present)) }
        var digests: [StatementName: Set<UInt64>] = [:]
        for name in past {
            guard let one = history.digests[name] else { continue }
            digests[generations[one.generation].public.name, default: []].insert(one.digest)
        }
        for one in PastChanges.records(names: Set(past.map(\.number)), values: digests) {
            bodies.append((.past(one), present))
        }
        for (body, generation) in bodies { try devices[place].write(body, generation) }
        let others = try devices.filter { $0.keys.device != devices[place].keys.device }
            .map { SeenEnd($0.keys.device, try $0.end) }.sorted { $0.device < $1.device }
        try devices[place].write(
            .summary(StreamSummary(count: UInt32(bodies.count), said: said, runs: [], seen: others)), present)
        try devices[place].close()
        for change in all.suffix(all.count - former.count) {
            let value = history.values[change.name]
            try devices[place].write(
                .changes([CarriedChange(change, value?.carried)]), value.map { generations[$0.generation] } ?? present)
            try devices[place].close()
        }
    }

    /// Changes that stay, with their values, about 128 KiB a record.
    private func changeBodies(
        _ changes: [PartChange], _ history: GrownHistory
    ) throws -> [(body: RecordBody, generation: GrownGeneration?)] {
        var bodies: [(body: RecordBody, generation: GrownGeneration?)] = []
        for generation in generations.indices {
            var batch: [CarriedChange] = []
            var size = 0
            func flush() {
                guard !batch.isEmpty else { return }
                let body = RecordBody.changes(batch)
                let isPresent = generation == generations.count - 1
                bodies.append((isPresent ? body : .again(body, of: generations[generation].public.name), present))
                (batch, size) = ([], 0)
            }
            for change in changes where (history.values[change.name]?.generation ?? 1) == generation {
                let carried = try CarriedChange(change, history.values[change.name]?.carried)
                batch.append(carried)
                size += carried.bytes.count
                if size > 128 << 10 || batch.count == CircleLimits.changes { flush() }
            }
            flush()
        }
        return bodies
    }
}
