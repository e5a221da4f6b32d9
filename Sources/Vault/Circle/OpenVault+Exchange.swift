import Authorization
import Circle
import Cryptography
import Item

/// Takes in what other machines gave out.
extension OpenVault {
    /// What a vault has made of records that came in.
    package struct Taken: Sendable {
        package var added = 0
        package var updated = 0
        package var deleted = 0
        /// Records that wait: for a key, for others, or for a later version.
        package var waiting = 0
        /// The items that are not shared, or not whole, by the reason.
        package var obstacles: [String: Int] = [:]
        /// The first names of these by service and account, ``mostNamed`` at most for a reason. What stays here by its own
        /// access control is not named.
        package var named: [String: [ItemName]] = [:]
        /// The parts that machines have changed at the same time.
        package var conflicts: Int?
        /// What the vault had of each other device.
        package var held: [WriterID: HeldFiles] = [:]
        /// Which of the segments are not what their devices have written, by their places among those that came.
        package var unfit: [Int] = []

        package static let mostNamed = 16

        fileprivate mutating func note(_ obstacle: TravelRule.Obstacle, of name: ItemName?) {
            obstacles[obstacle.rawValue, default: 0] += 1
            guard let name else { return }
            named[obstacle.rawValue, default: []].append(name)
        }

        fileprivate mutating func shortenNames() {
            named = named.mapValues { names in
                let sorted = names.sorted { ($0.service, $0.account) < ($1.service, $1.account) }
                return Array(sorted.prefix(Self.mostNamed))
            }
        }
    }

    /// Takes in heads and segments as a store has them. Bytes that no member has signed are left out.
    ///
    /// - Throws: `.notFound` without a circle; `.locked`; `.limitExceeded` if the vault is full; `.damaged`, `.storage`.
    package func takeIn(
        heads: [[UInt8]], segments: [[UInt8]], _ classKeys: ClassKeys
    ) throws(VaultError) -> Taken {
        _ = try classKeys.unlocked()
        return try write(protection: .later) { (change) throws(VaultError) in
            var (material, before) = try view(change, classKeys)
            material.merged = before.mergedEnds
            if !before.unnamed.isEmpty { before = try CircleView(material, classKeys, in: change) }
            let known = before.pending.count
            var obstacles: [ItemID: TravelRule.Obstacle] = [:]
            var unsaid: [ItemID: Set<FieldName>] = [:]
            // A removed machine gives nothing out and takes nothing in. One that only reads has nothing to say.
            if before.role?.mayWrite == true,
                var edits = LocalEdits(self, before, material.shared, classKeys: classKeys, change)
            {
                (before, material.shared) = try edits.find()
                (obstacles, unsaid) = (edits.obstacles, edits.unsaid)
                try keepSlots(edits, material, change)
            }
            var fresh = try Self.fresh(heads: heads, segments: segments, material)
            // By itself, a head that nobody known has signed tells nothing.
            if fresh.segments.isEmpty {
                fresh.heads.removeAll { head in !(before.keys[head.head.device].map(head.isSigned) ?? false) }
            }
            let held = material.heldOfOthers
            material.pending = before.pending
            let heads = material.heads
            material.heads += fresh.heads
            for one in fresh.segments { material.add(one.segment, one.file) }
            // Of the view before, nothing else is needed, nor of what is kept. It takes as much memory as the one after it.
            let streams = before.streams
            var after: CircleView
            if fresh.isEmpty {
                after = consume before
            } else {
                _ = consume before
                kept.dropCircle()
                after = try CircleView(material, classKeys, in: change)
            }
            var (shared, outcome) = (material.shared, SharedApplication.Outcome())
            let (items, waiting) = (after.role == nil ? [] : after.state.items, after.waiting)
            after.dropState()
            if after.role != nil {
                var application = SharedApplication(
                    self, after, material.shared, items, leaving: unsaid, classKeys: classKeys, change)
                if after.role == .reader { try application.giveWay() }
                (shared, outcome) = try application.run()
            }
            // This reads records, also of files that go now.
            let conflicts = try conflictCount(after, items, shared, change)
            // Small rows come before long ones: to find a row's place, SQLite reads the whole of others.
            try change.put(pending: after.pending.dropFirst(known))
            try keep(fresh, streams, after, heads, change)
            try dropOutdated(of: material, after, change)
            try keepStatements(after, change)
            try store(after, beyond: after.pending.count, shared, change)
            var taken = Taken(added: outcome.added, updated: outcome.updated, deleted: outcome.deleted)
            taken.waiting = waiting
            taken.unfit = (fresh.unfit + after.unfit(fresh.segments.map(\.segment)).map { fresh.places[$0] }).sorted()
            for (id, obstacle) in obstacles {
                // These can be many, and are not named.
                let item = obstacle == .thisDeviceOnly ? nil : try change.itemIfPresent(id)
                taken.note(obstacle, of: item?.summary.metadata.name)
            }
            let names = Dictionary(items.map { ($0.id, $0.name) }) { first, _ in first }
            for (id, obstacle) in outcome.obstacles { taken.note(obstacle, of: names[id]) }
            taken.shortenNames()
            taken.conflicts = conflicts
            taken.held = held
            return taken
        }
    }

    /// What has been said to the circle is no longer kept for it, nor what belongs to a value that is gone.
    func keepSlots(
        _ edits: LocalEdits, _ material: CircleMaterial, _ change: Change
    ) throws(VaultError) {
        for one in edits.released {
            let before = material.released.filter { $0.change == one.change }.flatMap(\.slots)
            let slots = (before + one.slots).suffix(CircleLimits.slots)
            try change.put(.released(one.change), ReleasedSlots.bytes(of: Array(slots)))
        }
        for revision in material.offered {
            let isThere = try change.rows.sealedValue(revision.bytes) != nil
            guard !isThere || edits.said.contains(revision) else { continue }
            try change.put(.offered(revision), [])
        }
    }

    /// Stores what this vault has said, and what it shares.
    ///
    /// - Parameter known: how many changes waited before.
    func store(
        _ view: CircleView, beyond known: Int, _ shared: SharedItems, _ change: Change
    ) throws(VaultError) {
        try change.put(pending: view.pending.dropFirst(known))
        try change.put(.shared, shared.encoded)
        try change.put(GuardReceivers(view))
        try change.put(device: view.device)
    }

    struct Fresh {
        var heads: [SignedHead] = []
        var segments: [(segment: KnownSegment, file: [UInt8])] = []
        /// Where each of these was among those that came.
        var places: [Int] = []
        /// Where those were that are no segments of this circle.
        var unfit: [Int] = []
        var isEmpty: Bool { heads.isEmpty && segments.isEmpty }
    }

    /// What is new of it. What does not have the form is left out: the store has made it so.
    static func fresh(
        heads: [[UInt8]], segments: [[UInt8]], _ material: CircleMaterial
    ) throws(VaultError) -> Fresh {
        var fresh = Fresh()
        let hadHeads = Set(material.heads)
        let hadSegments = Set(material.segments.map(\.digest))
        for bytes in heads {
            guard let head = Self.read({ () throws(CircleFormError) in try SignedHead(decoding: bytes) }),
                head.head.circle == material.device.circle, !hadHeads.contains(head)
            else { continue }
            fresh.heads.append(head)
        }
        for (place, bytes) in segments.enumerated() {
            guard let segment = Self.read({ () throws(CircleFormError) in try KnownSegment(decoding: bytes) }),
                segment.circle == material.device.circle
            else {
                fresh.unfit.append(place)
                continue
            }
            guard !hadSegments.contains(segment.digest) else { continue }
            fresh.segments.append((segment, bytes))
            fresh.places.append(place)
        }
        return fresh
    }

    private static func read<Value>(_ body: () throws(CircleFormError) -> Value) -> Value? {
        do throws(CircleFormError) { return try body() } catch { return nil }
    }

    /// Stores what counts of it, and nothing else. So a store fills no vault.
    ///
    /// - Parameter streams: those before it came in.
    private func keep(
        _ fresh: Fresh, _ streams: [WriterID: DeviceStream], _ after: CircleView, _ heads: [SignedHead],
        _ change: Change
    ) throws(VaultError) {
        let removed =
            fresh.isEmpty ? [] : after.membership.others.filter { !after.headsPassedByMembers(of: $0).isEmpty }
        for device in Set(fresh.heads.map(\.head.device) + fresh.segments.map(\.segment.device) + removed) {
            guard let stream = after.streams[device], let newest = stream.newest else { continue }
            let new = fresh.heads.filter { head in
                head.head.device == device && after.keys[device].map(head.isSigned) ?? false
            }
            guard !after.membership.others.contains(device) else {
                // None that is here goes: the device's last head leads over records that are not kept. Who has passed one
                // on can give that out no longer. Of two with one end, the one that a member has passed on is kept: the
                // device can sign another beginning of its run.
                let all = after.headsPassedByMembers(of: device) + new
                let known = heads.filter { $0.head.device == device }
                for head in stream.needed(of: all, beside: known, to: after.whatCounts(of: device)) {
                    try change.put(.head(device, head.head.end.run, head.head.end.chain), head.bytes)
                }
                continue
            }
            for head in stream.outdated(among: heads.filter { $0.head.device == device }) {
                try change.put(.head(device, head.head.end.run, head.head.end.chain), [])
            }
            // A vault that was rolled back has begun two runs at one place. Its newest head leads to one of them.
            let beside = stream.needed(of: new, beside: heads + [newest], to: stream.chains)
            for head in new
            where head == newest || stream.forked.contains(head.head.end.run) || beside.contains(head) {
                try change.put(.head(device, head.head.end.run, head.head.end.chain), head.bytes)
            }
        }
        var had: [WriterID: Set<KnownRecord>] = [:]
        for (id, stream) in streams { had[id] = Set(stream.counted.map(\.record)) }
        for (segment, file) in fresh.segments {
            let counted = after.whatIsKept(of: segment.device)
            let isNew = segment.records.contains {
                counted.contains($0) && !(had[segment.device] ?? []).contains($0)
            }
            guard isNew else { continue }
            had[segment.device, default: []].formUnion(segment.records)
            try change.put(.segment(segment), file)
        }
    }

    /// Drops what other devices, and this one, no longer give out.
    private func dropOutdated(of material: CircleMaterial, _ view: CircleView, _ change: Change) throws(VaultError) {
        for device in view.compacted.keys.sorted() {
            let outdated = view.outdated(of: device)
            guard let stream = view.streams[device], let compacted = view.compacted[device], !outdated.isEmpty else {
                continue
            }
            let records = Set(stream.counted.filter { outdated.contains($0.after) }.map(\.record))
            for segment in material.segments
            where segment.device == device && segment.records.allSatisfy(records.contains) {
                try change.put(.segment(segment), [])
            }
            for head in material.heads where head.head.device == device && head != stream.newest {
                let end = head.head.end
                guard compacted.covers(end.run, end.number), !stream.forked.contains(end.run) else { continue }
                try change.put(.head(device, end.run, end.chain), [])
            }
        }
    }

    /// Keeps what removed machines have said of members, because not all of their records are kept.
    private func keepStatements(_ view: CircleView, _ change: Change) throws(VaultError) {
        let known = Set(view.membership.refused + view.membership.waiting)
        for signed in view.signedStatements
        where view.membership.others.contains(signed.statement.signer) && !known.contains(signed.statement.name) {
            let row = CircleRow.statement(signed.statement.name)
            if try change.circle(row) == nil { try change.put(row, signed.bytes) }
        }
    }

    /// The files of a listing that hold something that the vault lacks.
    ///
    /// - Parameter heads: those of the store.
    package func wanted(
        _ names: [StorePath], heads: [[UInt8]], _ classKeys: ClassKeys
    ) throws(VaultError) -> [StorePath] {
        try read { (snapshot) throws(VaultError) in
            let (material, view) = try view(snapshot, classKeys)
            let fresh = try Self.fresh(heads: heads, segments: [], material)
            var ends: [RunID: UInt64] = [:]
            for head in material.heads + fresh.heads {
                ends[head.head.end.run] = max(ends[head.head.end.run] ?? 0, head.head.end.number)
            }
            var counted: [RunID: Set<UInt64>] = [:]
            for stream in view.streams.values {
                for one in stream.counted {
                    counted[one.record.header.run, default: []].insert(one.record.header.number)
                }
            }
            let segments = names.compactMap { path -> (path: StorePath, run: RunID, number: UInt64)? in
                guard case .segment(view.device.circle, _, let number, let run) = path else { return nil }
                return (path, run, number)
            }
            // What something waits for can be in a file that its writer has ended wrongly, and that others have put back.
            let isWaiting = !view.state.waits.isEmpty
            let outdated = isWaiting ? [] : view.compacted.filter { view.isOutdated($0.key) }.values.map(\.ends)
            let ended = Dictionary(outdated.flatMap { $0 }) { max($0, $1) }
            var starts: [RunID: [UInt64]] = [:]
            for segment in segments { starts[segment.run, default: []].append(segment.number) }
            for run in starts.keys { starts[run]?.sort() }
            return segments.filter { segment in
                let next = starts[segment.run]?.first { $0 > segment.number }
                let last = next.map { $0 - 1 } ?? max(ends[segment.run] ?? segment.number, segment.number)
                // Its writer no longer gives it out. What stands for it is here.
                guard last > ended[segment.run] ?? 0 else { return false }
                let limit = segment.number + UInt64(CircleLimits.records)
                return (segment.number...min(last, limit)).contains { !(counted[segment.run] ?? []).contains($0) }
            }.map(\.path)
        }
    }

    /// The files of this device that a store lacks, its segments before its head. Those of the devices that it has
    /// succeeded come first.
    ///
    /// - Parameters:
    ///   - names: what the store has.
    ///   - sizes: the lengths of these in bytes, as far as they are known. A file of another length is one that it lacks.
    ///   - heads: those of the store.
    ///   - room: how many bytes at most. One file always fits.
    /// - Returns: the files, and whether there are more.
    package func files(
        lacking names: Set<StorePath>, sizes: [StorePath: Int] = [:], heads: [[UInt8]], room: Int
    ) throws(VaultError) -> (files: [(path: StorePath, content: [UInt8])], hasMore: Bool) {
        try read { (snapshot) throws(VaultError) in
            guard let material = try material(snapshot) else { throw .noCircle }
            let circle = material.device.circle
            var files: [(path: StorePath, content: [UInt8])] = []
            var left = room
            for device in material.ownDevices {
                for (path, segment) in material.segments(of: device)
                where !names.contains(path) || sizes[path, default: segment.count] != segment.count {
                    guard files.isEmpty || segment.count <= left else { return (files, true) }
                    files.append((path, try snapshot.circle(segment)))
                    left -= segment.count
                }
                guard let head = material.lastHead(of: device), !heads.contains(head.bytes) else { continue }
                files.append((.head(circle: circle, device: device), head.bytes))
            }
            return (files, false)
        }
    }

    /// The files of another device that a store has lost, byte for byte as they came, its segments before its head.
    ///
    /// - Parameters:
    ///   - names: the device's segments that the store has.
    ///   - sizes: the lengths of these in bytes, as far as they are known. A file of another length is given, too. The
    ///     store's can be right and longer, so it is looked at before it is replaced.
    ///   - hasHead: whether the store has a head of the device. Only the device itself replaces one.
    ///   - room: how many bytes at most. One file always fits.
    /// - Returns: the files, and whether there are more. Nothing at a device that may only read, and none of its own.
    package func lostFiles(
        of device: WriterID, lacking names: Set<StorePath>, sizes: [StorePath: Int] = [:], hasHead: Bool, room: Int,
        _ classKeys: ClassKeys
    ) throws(VaultError) -> (files: [(path: StorePath, content: [UInt8])], hasMore: Bool) {
        try read { (snapshot) throws(VaultError) in
            let (material, view) = try view(snapshot, classKeys)
            // Of a fleet's servers, thousands would write the same files.
            guard view.role?.mayWrite == true, !material.ownDevices.contains(device) else { return ([], false) }
            var files: [(path: StorePath, content: [UInt8])] = []
            var left = room
            for (path, segment) in material.segments(of: device)
            where !names.contains(path) || sizes[path, default: segment.count] != segment.count {
                guard files.isEmpty || segment.count <= left else { return (files, true) }
                files.append((path, try snapshot.circle(segment)))
                left -= segment.count
            }
            if !hasHead, let head = material.lastHead(of: device) {
                files.append((.head(circle: material.device.circle, device: device), head.bytes))
            }
            return (files, false)
        }
    }
}
