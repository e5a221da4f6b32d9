import Authorization
import Circle
import Cryptography
import Item

/// All that a vault keeps of its circle, read from its rows. Nothing of it is judged yet.
struct CircleMaterial: Sendable {
    var device: CircleDevice
    /// Those that an answer has brought.
    var statements: [SignedStatement] = []
    /// The halves that an answer has brought, sealed to this device, by the generation. They count once the generation itself
    /// was read, and if they are its own.
    var brought: [StatementName: KeyGeneration.Receiver] = [:]
    /// Those of them that are known before a record tells them.
    var generations: [KeyGeneration] = []
    private(set) var segments: [KnownSegment] = []
    /// The bytes of those that are no rows yet.
    private(set) var arrived: [FileDigest: [UInt8]] = [:]
    var heads: [SignedHead] = []
    /// What this vault has changed and not given out yet, in its order.
    var pending: [(number: UInt64, change: PendingChange)] = []
    var shared = SharedItems()
    /// The SHA-256 of the requests that this vault's person has agreed to, by the device.
    var answered: [WriterID: [UInt8]] = [:]
    /// The values with slots for other machines that were not said to the circle yet.
    var offered: [RevisionID] = []
    /// Slots that were added to values, and were not given out yet.
    var released: [ReleasedSlots] = []
    /// What was merged of each other device before something came in. No row has it.
    var merged: [WriterID: RunEnd] = [:]

    init(device: CircleDevice) { self.device = device }

    /// Reads one row after the other, because all of them together can be large.
    ///
    /// - Returns: nil for a vault that shares items with nobody.
    /// - Throws: `.damaged` for a row that is missing or is not what Coffer writes.
    init?(_ snapshot: Snapshot) throws(VaultError) {
        guard let bytes = try snapshot.circle(.device) else { return nil }
        device = try CircleDevice(decoding: bytes)
        var count: UInt32 = 0
        try snapshot.forEachCircleRow { (row, content, _) throws(VaultError) in
            count += 1
            do throws(CircleFormError) { try take(row, content) } catch {
                throw .damaged("a row of the circle is unreadable", cause: error)
            }
            if row == .shared { shared = try SharedItems(decoding: content) }
        }
        guard count == device.rowCount else { throw .damaged("a row of the circle is missing") }
        pending.sort { $0.number < $1.number }
    }

    /// Adds a segment that is no row yet.
    mutating func add(_ segment: KnownSegment, _ file: [UInt8]) {
        segments.append(segment)
        arrived[segment.digest] = file
    }

    mutating func add(_ segment: RecordSegment) throws(VaultError) {
        let file = segment.bytes
        do throws(CircleFormError) { add(try KnownSegment(decoding: file), file) } catch { throw .impossible(error) }
    }

    /// The devices that this one has succeeded, the first one first, and this one.
    var ownDevices: [WriterID] {
        var devices = [device.id]
        // A device cannot name itself in its own keys, so the chain ends.
        while let signer = statements.first(where: { signed in
            guard case .succession(let keys, _) = signed.statement.content else { return false }
            return keys.device == devices[0] && !devices.contains(signed.statement.signer)
        })?.statement.signer {
            devices.insert(signer, at: 0)
        }
        return devices
    }

    /// The head at the end of one of these devices; nil if there is none.
    func lastHead(of device: WriterID) -> SignedHead? {
        let heads = heads.filter { $0.head.device == device }
        guard device == self.device.id else { return heads.max { $0.head.end.number < $1.head.end.number } }
        return heads.first { $0.head.end == self.device.end }
    }

    /// A device's segments, in their order, with their places in a store. Who keeps a store can make one file
    /// of two; of those with one place, the one with more records is meant.
    func segments(of device: WriterID) -> [(path: StorePath, segment: KnownSegment)] {
        var longest: [StorePath: KnownSegment] = [:]
        for segment in segments where segment.device == device {
            Self.take(segment, at: place(of: segment), &longest)
        }
        return longest.map { (path: $0.key, segment: $0.value) }.sorted { one, other in
            (one.segment.number, one.segment.run) < (other.segment.number, other.segment.run)
        }
    }

    /// What there is of each other device, as it lies in a store.
    var heldOfOthers: [WriterID: HeldFiles] {
        var longest: [StorePath: KnownSegment] = [:]
        for segment in segments { Self.take(segment, at: place(of: segment), &longest) }
        var held: [WriterID: HeldFiles] = [:]
        for segment in longest.values { held[segment.device, default: HeldFiles()].add(segment) }
        for own in ownDevices { held[own] = nil }
        return held
    }

    private static func take(
        _ segment: KnownSegment, at path: StorePath, _ longest: inout [StorePath: KnownSegment]
    ) {
        guard segment.records.count > longest[path]?.records.count ?? 0 else { return }
        longest[path] = segment
    }

    private func place(of segment: KnownSegment) -> StorePath {
        .segment(
            circle: device.circle, device: segment.device, number: segment.number, run: segment.run)
    }

    private mutating func take(_ row: CircleRow, _ content: [UInt8]) throws(CircleFormError) {
        switch row {
        case .device, .joining, .shared, .receivers, .succession: break
        case .offered(let revision): offered.append(revision)
        case .released(let change):
            released.append(try ReleasedSlots(of: change, ReleasedSlots.slots(decoding: content)))
        case .statement: statements.append(try SignedStatement(decoding: content))
        case .halves(let name):
            let count = KeyGeneration.Receiver.sealedCount
            brought[name] = try KeyGeneration.Receiver(device.id, sealed: Array(content.suffix(count)))
            let known = Array(content.dropLast(count))
            guard known.count >= 4, known == LengthPrefixed.encode(Array(known[4...])) else { throw .length }
            guard known.count > 4 else { break }
            let generation = try KeyGeneration(decoding: Array(known[4...]))
            guard generation.name == name else { throw .place }
            generations.append(generation)
        case .segment: segments.append(try KnownSegment(decoding: content))
        case .head: heads.append(try SignedHead(decoding: content))
        case .pending(let number): pending.append((number, try PendingChange(decoding: content)))
        case .answered(let device):
            guard content.count == SHA256.count else { throw .length }
            answered[device] = content
        }
    }
}

/// The segments of a device that a vault has.
package struct HeldFiles: Sendable, Equatable {
    /// How many places they have in a store.
    package private(set) var count = 0
    /// How long they are together, in bytes.
    package private(set) var bytes = 0

    mutating func add(_ segment: KnownSegment) { (count, bytes) = (count + 1, bytes + segment.count) }
}

/// A change of this vault that was not given out yet.
struct PendingChange: Sendable, Equatable {
    /// The generation that its value's slot is for. It may have ended by the time it is given out.
    let generation: StatementName
    let carried: CarriedChange

    init(generation: StatementName, _ carried: CarriedChange) {
        (self.generation, self.carried) = (generation, carried)
    }

    var encoded: [UInt8] { generation.bytes + carried.bytes }

    init(decoding bytes: [UInt8]) throws(CircleFormError) {
        guard let generation = StatementName(bytes: Array(bytes.prefix(StatementName.count))) else { throw .length }
        self.init(generation: generation, try CarriedChange(decoding: Array(bytes.dropFirst(StatementName.count))))
    }
}

/// The local items that the circle has, too, as the row `shared` has them.
struct SharedItems: Sendable, Equatable {
    /// What is here in place of what the circle has: the digest of a part that could not be taken in. What is still so was
    /// not changed here.
    typealias Withheld = [SharedPart: [UInt8]]

    private(set) var withheld: [ItemID: Withheld] = [:]
    /// When this device took items out of the circle that are still here, by its clock. The circle's own word of that goes
    /// once another machine takes such an item out of its bin.
    private(set) var left: [ItemID: UInt64] = [:]

    /// The length of a digest in bytes.
    static let digestCount = 16

    init() {}

    var ids: [ItemID] { withheld.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) } }

    func contains(_ item: ItemID) -> Bool { withheld[item] != nil }

    /// Whether a part of an item is as it was when the circle's could not be taken in.
    ///
    /// - Parameter present: what is here; empty for nothing.
    func isWithheld(_ part: SharedPart, of item: ItemID, present: [UInt8]) throws(VaultError) -> Bool {
        guard let digest = withheld[item]?[part] else { return false }
        return try digest == Self.digest(present)
    }

    static func digest(_ present: [UInt8]) throws(VaultError) -> [UInt8] {
        try cryptography { () throws(CryptographyError) in Array(try SHA256.digest(present).prefix(digestCount)) }
    }

    mutating func put(_ item: ItemID, withheld parts: Withheld = [:]) { (withheld[item], left[item]) = (parts, nil) }

    mutating func remove(_ item: ItemID) { withheld[item] = nil }

    /// An item leaves the circle, and stays here.
    mutating func leave(_ item: ItemID, at time: UInt64) { (withheld[item], left[item]) = (nil, time) }

    /// Forgets of items that are no longer here when they left.
    mutating func keepLeft(of present: Set<ItemID>) { left = left.filter { present.contains($0.key) } }

    var encoded: [UInt8] {
        let shared = ids.reduce(into: BigEndian.bytes(UInt32(withheld.count))) { bytes, id in
            let parts = (withheld[id] ?? [:]).map { (bytes: $0.key.bytes, digest: $0.value) }
                .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            bytes += id.bytes + BigEndian.bytes(UInt16(clamping: parts.count))
            for part in parts { bytes += LengthPrefixed.encode(part.bytes) + part.digest }
        }
        guard !left.isEmpty else { return shared }
        return left.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
            .reduce(into: shared + BigEndian.bytes(UInt32(left.count))) { bytes, one in
                bytes += one.key.bytes + BigEndian.bytes(one.value)
            }
    }

    /// The same without items that have gone from this vault by their time alone. Otherwise that would be taken for a
    /// deletion, and nobody would have them any longer because one clock is wrong. One that is valid comes back from the
    /// others.
    func without(_ items: some Sequence<ItemID>) -> SharedItems {
        var shared = self
        for item in items { shared.remove(item) }
        return shared
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the shared items")
        for _ in 0..<(try reader.integer(UInt32.self)) {
            guard let item = ItemID(bytes: try reader.bytes(ItemID.count)) else { throw .damaged("an item has no id") }
            var parts: Withheld = [:]
            for _ in 0..<(try reader.integer(UInt16.self)) {
                let (bytes, digest) = (try reader.prefixed(), try reader.bytes(Self.digestCount))
                do throws(CircleFormError) { parts[try SharedPart(decoding: bytes)] = digest } catch {
                    throw .damaged("the shared items are unreadable", cause: error)
                }
            }
            withheld[item] = parts
        }
        // An earlier version has not written these.
        guard !reader.isAtEnd else { return }
        for _ in 0..<(try reader.integer(UInt32.self)) {
            guard let item = ItemID(bytes: try reader.bytes(ItemID.count)) else { throw .damaged("an item has no id") }
            left[item] = try reader.integer(UInt64.self)
        }
        guard !left.isEmpty else { throw .damaged("the shared items are unreadable") }
        try reader.end()
    }
}

extension Change {
    /// Notes that items have gone by their time alone.
    func unshare(_ items: [ItemID]) throws(VaultError) {
        guard !items.isEmpty, let bytes = try circle(.shared) else { return }
        try put(.shared, SharedItems(decoding: bytes).without(items).encoded)
    }
}
