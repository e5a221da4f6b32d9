import Authorization
import Circle
import Cryptography

/// What a vault makes of all that it has of its circle: who is in it, which records count, and the merged state. It is a
/// function of the material and of the keys at hand.
struct CircleView: Sendable {
    let device: CircleDevice
    /// Each with all signatures that came with it. Somebody else's may have come first.
    private(set) var statements: [StatementName: [SignedStatement]] = [:]
    private(set) var membership: Membership
    /// The devices whose changes have no effect.
    private(set) var readers: Set<WriterID> = []
    /// How many signed statements it is made of. They only become more.
    private var judged = 0
    private(set) var generations: [StatementName: KeyGeneration] = [:]
    /// The generations that their makers have told to all, and those of the answer by which this vault entered. The others
    /// were sent to this device alone.
    private(set) var attested: Set<StatementName> = []
    /// Of the generations that this device can open.
    private(set) var halves: [StatementName: GenerationHalves] = [:]
    private(set) var streams: [WriterID: DeviceStream] = [:]
    /// The keys of every device that is or was in the circle.
    private(set) var keys: [WriterID: MemberKeys] = [:]
    private(set) var profiles: [WriterID: DeviceProfile] = [:]
    private(set) var state = SharedState()
    /// The same without what this vault has not given out; nil if there is nothing like that.
    private(set) var givenState: SharedState?
    /// The record that carries a value, by the change that gave it. Of several, one: their values are the same.
    private(set) var places: [RevisionName: KnownRecord] = [:]
    /// Records that this vault cannot read yet: of a generation or a kind that it does not know, or written wrongly.
    private(set) var unread = 0
    private(set) var pending: [(number: UInt64, change: PendingChange)]
    /// Slots that this vault has added to values, and has not given out yet.
    let pendingSlots: [ReleasedSlots]
    /// Slots that were added to values after these were given out, by the change.
    private var released: [RevisionName: [[ValueSlot]]] = [:]

    /// What opens the halves of generations, and the halves that were sealed for it.
    private var receiving: ReceivingKeys
    private var received: [StatementName: KeyGeneration.Receiver] = [:]
    private let brought: [StatementName: KeyGeneration.Receiver]
    private var files: SegmentFiles
    private(set) var read: Set<ChainHash> = []
    private(set) var opened = OpenedValues()
    /// Heads that records pass on, by their devices, and who has passed on each. A run begins with that of the run before.
    private(set) var passed: [WriterID: [SignedHead: Set<WriterID>]] = [:]
    /// The ends of the heads that this vault itself has, by their devices.
    let ownEnds: [WriterID: [RunEnd]]
    private(set) var changes: [(change: PartChange, record: KnownRecord)] = []
    private var releases: [(slots: ReleasedSlots, writer: WriterID, after: ChainHash)] = []
    /// What each device has said to have seen of others, in its records.
    private(set) var vouched = VouchedEnds()
    /// What this vault has merged of each other device, if it will name that once the device is removed.
    private let merged: [WriterID: RunEnd]
    /// What was sealed to papers, and who has given it out.
    private(set) var envelopes: [(by: WriterID, envelope: PaperEnvelope)] = []
    /// Records that only tell what their device has taken in, or where its run begins. Nobody says to have them.
    private(set) var silent: Set<ChainHash> = []
    /// The number of each device's last record that says something.
    private(set) var lastSaid: [WriterID: UInt64] = [:]
    /// The records that say what devices no longer give out. That can be millions of changes, so it is read when it is needed.
    private(set) var pasts: [WriterID: [DeviceStream.Counted]] = [:]
    /// What ends compactions.
    private var summaries: [WriterID: [CompactedStream.Found]] = [:]
    /// Each device's newest compaction that is whole and that lacks nothing, or else the newest that is whole.
    private(set) var compacted: [WriterID: CompactedStream] = [:]
    /// The statements and generations that a record has.
    private(set) var told: [ChainHash: StatementName] = [:]
    /// Where removals were given out. Anybody can repeat one.
    private var removals: [StatementName: [(by: WriterID, end: RunEnd)]] = [:]

    /// - Throws: `.outOfMemory`, `.storage` for a library that fails. Nothing that others have written is an error.
    init(_ material: CircleMaterial, _ classKeys: ClassKeys, in snapshot: Snapshot) throws(VaultError) {
        try self.init(
            material, by: ReceivingKeys(classKeys, vault: snapshot.header.vault, material.device.keys.random),
            SegmentFiles(material.arrived, in: snapshot))
    }

    /// - Parameter files: have the bytes of the material's segments.
    init(_ material: CircleMaterial, by receiving: ReceivingKeys, _ files: SegmentFiles) throws(VaultError) {
        self.files = files
        device = material.device
        pending = material.pending
        pendingSlots = material.released
        merged = material.merged
        ownEnds = Dictionary(grouping: material.heads) { $0.head.device }.mapValues { $0.map(\.head.end) }
        self.receiving = receiving
        membership = try Self.membership(of: material.device.circle, [])
        for signed in material.statements { statements[signed.statement.name, default: []].append(signed) }
        brought = material.brought
        for generation in material.generations { try take(generation) }
        keys[device.id] = device.keys
        while try learn(material) {}
        for (id, heads) in passed { passed[id] = heads.filter { head in keys[id].map(head.key.isSigned) ?? false } }
        try findCompactions()
        for (id, stream) in streams {
            lastSaid[id] = stream.counted.filter { !silent.contains($0.after) }.map(\.record.header.number).max()
        }
        readers = membership.readers
        try merge()
    }

    /// - Returns: whether something was learnt that can make more readable.
    private mutating func learn(
        _ material: CircleMaterial
    ) throws(VaultError) -> Bool {
        let copies = statements.keys.sorted().flatMap { statements[$0] ?? [] }
        // Each statement's signature is checked, so this is not done again for the same ones.
        if copies.count != judged {
            membership = try Self.membership(of: device.circle, copies)
            judged = copies.count
        }
        let known = Set(membership.members.map(\.keys.device) + membership.others)
        for signed in statements.values.compactMap(\.first) {
            if let new = signed.statement.content.newKeys, known.contains(new.device) { keys[new.device] = new }
        }
        var hasLearnt = false
        let new = keys.keys.filter { streams[$0] == nil }.sorted()
        // Each device would look at all files of all others otherwise.
        let heads = new.isEmpty ? [:] : Dictionary(grouping: material.heads) { $0.head.device }
        let segments = new.isEmpty ? [:] : Dictionary(grouping: material.segments) { $0.device }
        for id in new {
            guard let keys = keys[id] else { continue }
            do throws(CircleFormError) {
                streams[id] = try DeviceStream(
                    of: keys, in: device.circle, heads: (heads[id] ?? []) + (passed[id] ?? [:]).keys,
                    segments: segments[id] ?? [])
            } catch { throw .impossible(error) }
            hasLearnt = true
        }
        unread = 0
        for id in keys.keys.sorted() {
            for counted in streams[id]?.counted ?? [] where !read.contains(counted.after) {
                guard let found = try open(counted.record) else {
                    unread += 1
                    continue
                }
                read.insert(counted.after)
                hasLearnt = true
                try take(found.body, counted)
            }
        }
        return hasLearnt
    }

    /// The public halves of the keys that the view was made with. A view is a function of its material and of these keys.
    var receivers: [[UInt8]?] { receiving.publicHalves }

    /// The same without any key, and without what was opened since.
    var withoutKeys: CircleView {
        var view = self
        (view.receiving, view.halves, view.opened, view.files) = (.none, [:], OpenedValues(), .none)
        return view
    }

    /// The same with the keys that it was made with, and with the files of a snapshot.
    func with(_ keys: ReceivingKeys, _ files: SegmentFiles) throws(VaultError) -> CircleView {
        var view = self
        (view.receiving, view.opened, view.files) = (keys, OpenedValues(), files)
        for (name, receiver) in received { if let one = generations[name] { try view.take(one, receiver) } }
        return view
    }

    /// What a record says, and the generation under which its device gave that out first; nil for what everybody can open.
    typealias OpenedRecord = (body: RecordBody, generation: StatementName?)

    /// - Returns: nil for a record that does not open here, and for one of a kind that this version does not know.
    func open(_ record: KnownRecord) throws(VaultError) -> OpenedRecord? {
        guard let generation = record.header.generation else {
            return try RecordSealing.open(files.record(record), half: nil).map { ($0, nil) }
        }
        guard let half = halves[generation]?.metadata else { return nil }
        switch try RecordSealing.open(files.record(record), half: half) {
        // It waits for a version that knows it.
        case .unknown?, nil: return nil
        case .again(let body, let former)?: return (body, former)
        case let body?: return (body, generation)
        }
    }

    private mutating func take(
        _ body: RecordBody, _ counted: DeviceStream.Counted
    ) throws(VaultError) {
        let record = counted.record
        switch body {
        case .statement(let signed):
            told[counted.after] = signed.statement.name
            switch signed.statement.content {
            case .removal, .succession:
                if let end = counted.end {
                    removals[signed.statement.name, default: []].append((record.header.device, end))
                }
            case .founding, .addition: break
            }
            let copies = statements[signed.statement.name] ?? []
            guard !copies.contains(where: { $0.signature == signed.signature }) else { return }
            statements[signed.statement.name] = copies + [signed]
        case .generation(let generation):
            told[counted.after] = generation.name
            try take(generation)
        case .changes(let carried): changes += carried.lazy.map { ($0.change, record) }
        case .released(let all): releases += all.map { ($0, record.header.device, counted.after) }
        case .profile(let profile): profiles[record.header.device] = profile
        case .head(let head):
            silent.insert(counted.after)
            let device = head.head.device
            // Whose keys come later, its heads are judged then.
            guard keys[device].map(head.isSigned) ?? true else { return }
            // It can lead to records that no other head leads to.
            if passed[device]?[head] == nil { streams[device] = nil }
            passed[device, default: [:]][head, default: []].insert(record.header.device)
        case .seen(let seen):
            silent.insert(counted.after)
            vouched.add(seen, by: record.header.device, after: counted.after)
        case .paper(let envelope):
            envelopes.append((record.header.device, envelope))
            if envelope.device == device.id { try take(envelope) }
        case .past:
            silent.insert(counted.after)
            pasts[record.header.device, default: []].append(counted)
        case .summary(let summary):
            silent.insert(counted.after)
            summaries[record.header.device, default: []].append((summary, counted))
            vouched.add(summary.seen, by: record.header.device, after: counted.after)
        case .again, .unknown: break
        }
    }

    /// Takes in a generation, with the halves that an answer has brought or that are in it. Of an answer it is not known
    /// whether they are the generation's own.
    private mutating func take(_ generation: KeyGeneration) throws(VaultError) {
        attested.insert(generation.name)
        guard generations[generation.name] == nil else { return }
        generations[generation.name] = generation
        for receiver in [brought[generation.name], generation.receivers.first { $0.device == device.id }] {
            guard halves[generation.name] == nil, let receiver else { continue }
            try take(generation, receiver)
        }
    }

    private mutating func take(
        _ generation: KeyGeneration, _ receiver: KeyGeneration.Receiver
    ) throws(VaultError) {
        generations[generation.name] = generation
        guard generation.circle == device.circle, receiver.device == device.id else { return }
        received[generation.name] = receiver
        halves[generation.name] = try cryptography { () throws(CryptographyError) in
            try GenerationHalves(receiver, of: generation, by: receiving)
        }
    }

    /// Takes in keys that somebody has sent to this device alone. A removed device can make keys in another's name, and a
    /// member keys for one machine. So these open records, and nobody writes to them.
    private mutating func take(_ envelope: PaperEnvelope) throws(VaultError) {
        let content = try PaperSealing.open(envelope, for: device.id, by: receiving, in: device.circle)
        for (generation, receiver) in content?.generations ?? [] {
            guard halves[generation.name] == nil else { continue }
            let opened = try cryptography { () throws(CryptographyError) in
                try GenerationHalves(receiver, of: generation, by: receiving)
            }
            // Who knows this device's public keys can seal something else to it. That takes the place of nothing.
            guard opened != nil else { continue }
            try take(generation, receiver)
        }
    }

    /// What a compaction repeats is nothing new.
    private mutating func findCompactions() throws(VaultError) {
        for device in summaries.keys.sorted() {
            guard let stream = streams[device] else { continue }
            // A device that was removed ends nothing by what it says afterwards.
            let counting = membership.others.contains(device) ? whatCounts(of: device) : nil
            let found = (summaries[device] ?? []).filter { counting?.contains($0.at.after) ?? true }
            var whole = CompactedStream.whole(found, in: stream, read: read)
            for place in whole.indices { whole[place].isFaithful = try isFaithful(whole[place], of: device) }
            guard let found = whole.first(where: \.isFaithful) ?? whole.first else { continue }
            compacted[device] = found
            silent.formUnion(found.group)
        }
    }

    /// Merges the changes of all who may write. A change in another device's name has no effect, and neither has a
    /// reader's. What a removed device wrote has an effect as far as a member has said to have merged it, or up to its
    /// own leaving.
    private mutating func merge() throws(VaultError) {
        let readers = readers
        let removed = Dictionary(uniqueKeysWithValues: membership.others.map { ($0, whatCounts(of: $0)) })
        func hasEffect(_ writer: WriterID, _ after: ChainHash) -> Bool {
            (removed[writer]?.contains(after) ?? true) && !readers.contains(writer)
        }
        for (slots, writer, after) in releases where hasEffect(writer, after) {
            released[slots.change, default: []].append(slots.slots)
        }
        var (open, ended): ([PartChange], [WriterID: Set<UInt64>]) = ([], [:])
        for device in pasts.keys.filter(isOutdated) { ended[device] = try pastHere(of: device) }
        for (change, record) in changes
        where hasEffect(record.header.device, record.after) && change.stamp.writer == record.header.device {
            // The changes that took its place are there. The ones between can be gone.
            if change.mayEnd, ended[change.stamp.writer]?.contains(change.name.number) ?? false { continue }
            open.append(change)
            if case .value? = change.content { places[change.name] = record }
        }
        (changes, releases) = ([], [])
        state = SharedState(past: try pastNames(of: open + pending.map(\.change.carried.change), where: hasEffect))
        open = state.take(all: open)
        if !pending.isEmpty {
            givenState = state
            _ = state.take(all: open + pending.map(\.change.carried.change))
        }
    }

    /// The places up to which a removed device's records count: those that lead to an end which a member that may write has
    /// named in a record of its own, or which this vault is about to name, and those that lead to its leaving, if nobody
    /// else has removed it.
    func whatCounts(of device: WriterID) -> Set<ChainHash> {
        let members = Set(membership.members.filter(\.role.mayWrite).map(\.keys.device))
        let ends = members.flatMap { vouched.ends(by: $0, of: device) }
        return streams[device]?.leading(to: ends + (merged[device].map { [$0] } ?? []) + farewell(of: device)) ?? []
    }

    /// Where a device that nobody else has removed has said that it leaves, or who succeeds it. The first time counts,
    /// because it can repeat the statement behind what it writes later.
    private func farewell(of device: WriterID) -> [RunEnd] {
        let names = membership.removals.filter { name in
            switch statements[name]?.first?.statement.content {
            case .removal(let devices)?: return devices.contains(device)
            case .succession?: return statements[name]?.first?.statement.signer == device
            case .founding?, .addition?, nil: return false
            }
        }
        guard names.allSatisfy({ statements[$0]?.first?.statement.signer == device }) else { return [] }
        let ends = names.flatMap { removals[$0] ?? [] }.filter { $0.by == device }.map(\.end)
        return ends.min { ($0.number, $0.chain) < ($1.number, $1.chain) }.map { [$0] } ?? []
    }

    /// Lets go of the state, for who has its items and needs nothing else of it. It is the largest part of a view.
    mutating func dropState() { (state, givenState) = (SharedState(), nil) }

    /// Takes in a change that this vault has just made.
    mutating func add(_ change: PendingChange) {
        let number = (pending.last?.number ?? 0) + 1
        pending.append((number, change))
        if givenState == nil { givenState = state }
        state.take(change.carried.change)
    }

    /// The ways to a value's item key: those that came with it, and then those that members have added, each time by
    /// themselves. A reader takes the first ones that it can use.
    func slots(of change: PartChange, _ value: CarriedValue) -> [[ValueSlot]] {
        [value.slots] + (released[change.name] ?? [])
    }

    /// The sealed value that a change gave, and the generation that its slot for all members is for.
    typealias GivenValue = (value: CarriedValue, generation: StatementName)

    /// - Returns: nil if its record no longer opens.
    func value(of change: PartChange) throws(VaultError) -> GivenValue? {
        if let found = opened[change.name] { return found }
        guard let record = places[change.name], case (.changes(let carried), let generation?)? = try open(record)
        else { return try values(of: [change])[change.name] }
        // A record has hundreds of values. A vault that takes in all of them opens it once.
        var values: [RevisionName: GivenValue] = [:]
        for one in carried where places[one.change.name] == record {
            values[one.change.name] = one.value.map { ($0, generation) }
        }
        opened.add(values)
        return values[change.name]
    }

    /// The values that changes gave, also those that were not given out yet. Each record is opened once.
    func values(of changes: [PartChange]) throws(VaultError) -> [RevisionName: GivenValue] {
        let wanted = Set(changes.map(\.name))
        var values: [RevisionName: GivenValue] = [:]
        for (_, own) in pending where wanted.contains(own.carried.change.name) {
            values[own.carried.change.name] = own.carried.value.map { ($0, own.generation) }
        }
        // Those of one file follow each other, so that it is read once.
        let records = Set(changes.compactMap { places[$0.name] })
        for record in records.sorted(by: { ($0.file, $0.header.number) < ($1.file, $1.header.number) }) {
            guard case (.changes(let carried), let generation?)? = try open(record) else { continue }
            for one in carried where wanted.contains(one.change.name) && places[one.change.name] == record {
                values[one.change.name] = one.value.map { ($0, generation) }
            }
        }
        return values
    }
}

extension Statement.Content {
    /// The keys that it brings into the circle.
    var newKeys: MemberKeys? {
        switch self {
        case .founding(let keys), .addition(let keys, _, _), .succession(let keys, _): keys
        case .removal: nil
        }
    }
}
