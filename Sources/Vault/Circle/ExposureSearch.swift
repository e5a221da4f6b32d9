import Authorization
import Circle
import Cryptography
import Item

/// Finds the values that one machine of the circle could read. It compares what was given out with the keys that this
/// machine had. What cannot be told counts as read.
struct ExposureSearch {
    private let vault: OpenVault
    private let view: CircleView
    private let snapshot: Snapshot
    private let classKeys: ClassKeys
    private let given: [SharedItemID: [GivenOut]]
    /// Of values that are no longer given out and that the machine could read, by the generation.
    private let past: [StatementName: Set<UInt64>]
    /// How many values were opened to be compared.
    private(set) var opened = 0

    init(
        _ vault: OpenVault, _ view: CircleView, of device: WriterID, _ classKeys: ClassKeys, in snapshot: Snapshot
    ) throws(VaultError) {
        (self.vault, self.view, self.classKeys, self.snapshot) = (vault, view, classKeys, snapshot)
        given = try GivenOut.all(in: view, to: device)
        let hidden = try GivenOut.generations(in: view, hiddenFrom: device)
        past = try view.pastValues { writer, generation in writer == device || !hidden.contains(generation) }
    }

    /// The fields of an item whose present values the machine could read.
    ///
    /// - Parameter here: the item as it is here; nil if it is not.
    /// - Returns: nil if there are none. An item in the bin has none: the person has thrown it away.
    /// - Throws: `.locked` if a class key is missing that a value needs.
    mutating func exposure(of item: SharedItem, here: StoredItem?) throws(VaultError) -> ItemExposure? {
        let history = item.ids.flatMap { given[$0] ?? [] }
        var exposure = ItemExposure(
            name: here?.summary.metadata.name ?? item.name, fields: [], asks: true)
        if item.isInBin {
            // It can belong to this machine alone since.
            guard let here, here.summary.metadata.deleted == nil else { return nil }
            for value in try snapshot.values(of: here) {
                exposure.add(value.fieldName, try reach(of: value, history, item.ids))
            }
        } else {
            for case .field(let name) in item.parts {
                for revision in item.revisions(of: .field(name)) {
                    exposure.add(name, try reach(of: revision, history, item.ids))
                }
            }
        }
        return exposure.fields.isEmpty ? nil : exposure
    }

    /// How the machine could read a present value, in whatever form it was given out.
    private mutating func reach(
        of change: PartChange, _ history: [GivenOut], _ ids: [SharedItemID]
    ) throws(VaultError) -> GivenOut.Reach? {
        var (open, seen): ([PartChange], Set<RevisionName>) = ([change], [])
        while let next = open.popLast() {
            guard seen.insert(next.name).inserted else { continue }
            // Its record no longer opens here.
            guard let found = history.first(where: { $0.change.name == next.name }) else { return .free }
            if let reach = found.reach { return reach }
            if next.asksNobody {
                guard let plain = try plain(found) else { return .free }
                // Somebody can have sealed it anew, brought it back, or put it into another field.
                if let reach = try reach(of: plain, history, ids) { return reach }
            }
            let former = history.filter { next.replaced.isEmpty || next.replaced.contains($0.change.name) }
            guard found.canBeOld(after: former) else { continue }
            // Of two that ask nobody, the values themselves have told.
            open += former.map(\.change).filter { !$0.asksNobody || !next.asksNobody }
        }
        return nil
    }

    /// How the machine could read a value that stays here by now. It was in the circle before.
    private mutating func reach(
        of value: ItemValue, _ history: [GivenOut], _ ids: [SharedItemID]
    ) throws(VaultError) -> GivenOut.Reach? {
        guard value.field.access.requirements.isEmpty else {
            let fields = try snapshot.fields(of: snapshot.item(value.item.id))
            let stamps = try snapshot.stamps(of: value.item.id, in: fields)
            let isSetSince = stamps.stamp(of: .access).clock < stamps.stamp(of: .field(value.fieldName)).clock
            return isSetSince ? nil : history.compactMap(\.reach).first
        }
        opened += 1
        let keys = classKeys
        let plain = try vault.open(
            value, snapshot.sealedValue(of: value), classKeys: { keys }, agreements: [:], applicationPassword: nil)
        return try reach(of: plain, history, ids)
    }

    /// Whether one of the values that the machine could read, and that ask nobody, is this one.
    private mutating func reach(
        of plain: SecretBytes, _ history: [GivenOut], _ ids: [SharedItemID]
    ) throws(VaultError) -> GivenOut.Reach? {
        for former in history {
            guard let reach = former.reach, former.change.asksNobody else { continue }
            if try self.plain(former) == plain { return reach }
        }
        return try isPast(plain, ids) ? .free : nil
    }

    /// Whether a value that is no longer given out, and that the machine could read, is this one.
    private func isPast(_ plain: SecretBytes, _ ids: [SharedItemID]) throws(VaultError) -> Bool {
        for generation in past.keys.sorted() {
            guard let digests = past[generation], let halves = view.halves[generation] else { return true }
            for id in ids {
                let digest = try cryptography { () throws(CryptographyError) in
                    try PastValueDigest.of(plain, in: id, generation, halves)
                }
                guard let digest, !digests.contains(digest) else { return true }
            }
        }
        return false
    }

    /// - Returns: nil if it does not open.
    private mutating func plain(_ given: GivenOut) throws(VaultError) -> SecretBytes? {
        opened += 1
        return try OpenedValue(
            given.change, (given.value, given.generation), in: view, of: snapshot.format.vault,
            as: ItemName(service: "", account: ""))?.plain
    }
}

/// An item that another machine could read.
package struct ItemExposure: Sendable, Equatable {
    package let name: ItemName
    package private(set) var fields: [FieldName]
    /// Whether that machine asks its person for each of them.
    package private(set) var asks: Bool

    init(name: ItemName, fields: [FieldName], asks: Bool) {
        (self.name, self.fields, self.asks) = (name, fields, asks)
    }

    fileprivate mutating func add(_ field: FieldName, _ reach: GivenOut.Reach?) {
        guard let reach else { return }
        if fields.last != field { fields.append(field) }
        if reach == .free { asks = false }
    }

    /// The bytes of its texts.
    var size: Int {
        name.service.utf8.count + name.account.utf8.count + fields.reduce(0) { $0 + $1.bytes.count }
    }
}

/// A value that somebody has given out, and how one machine could read it.
struct GivenOut {
    enum Reach {
        /// Without asking its person.
        case free
        case asks
    }

    let change: PartChange
    let value: CarriedValue
    let generation: StatementName
    /// nil if the machine could not.
    fileprivate(set) var reach: Reach?
    /// The last change of the item's name or requirements that its writer has given out right before it.
    private let settings: Settings?

    /// Another name, or other requirements.
    private struct Settings {
        let clock: UInt64
        var isInRecord = true
    }

    /// Whether it can be a value that was there before. A guarded value is sealed anew for another name and for other
    /// requirements, and nobody can compare it. Sealed anew, a value keeps the time at which it was set.
    ///
    /// - Parameter former: what it has replaced.
    func canBeOld(after former: [GivenOut]) -> Bool {
        guard let settings else { return false }
        let next = former.map { $0.change.stamp.clock + 1 }.max() ?? 0
        return settings.isInRecord || change.stamp.clock <= max(settings.clock, next)
    }

    /// All values of the circle, by the item.
    static func all(in view: CircleView, to device: WriterID) throws(VaultError) -> [SharedItemID: [GivenOut]] {
        let hidden = try generations(in: view, hiddenFrom: device)
        var given: [SharedItemID: [GivenOut]] = [:]
        var released: Set<RevisionName> = []
        for stream in view.streams.keys.sorted().compactMap({ view.streams[$0] }) {
            var writing = Writing()
            for record in stream.counted.map(\.record) {
                guard case let (body, generation?)? = try view.open(record) else { continue }
                let isHidden = hidden.contains(generation)
                writing.beginRecord()
                switch body {
                case .changes(let all):
                    for one in all where view.state.has(one.change.name) {
                        writing.note(one, generation, isHidden: isHidden, to: device, &given)
                    }
                case .released(let all) where !isHidden:
                    for one in all where one.slots.contains(where: { $0.device == device }) {
                        released.insert(one.change)
                    }
                default: break
                }
            }
        }
        let isMember = view.membership.members.contains { $0.keys.device == device }
        var writing = Writing()
        for (_, own) in view.pending {
            writing.note(own.carried, own.generation, isHidden: !isMember, to: device, &given)
        }
        if isMember {
            for one in view.pendingSlots where one.slots.contains(where: { $0.device == device }) {
                released.insert(one.change)
            }
        }
        for item in given.keys {
            for place in given[item]?.indices ?? 0..<0 {
                guard let one = given[item]?[place], one.reach == nil, released.contains(one.change.name) else {
                    continue
                }
                given[item]?[place].reach = .asks
            }
        }
        return given
    }

    /// The generations that the device certainly never had.
    static func generations(
        in view: CircleView, hiddenFrom device: WriterID
    ) throws(VaultError) -> Set<StatementName> {
        let knowledge: RemovalKnowledge
        do throws(CircleFormError) {
            knowledge = try RemovalKnowledge(
                of: device, in: view.membership, view.signedStatements.map(\.statement))
        } catch { throw .impossible(error) }
        return Set(view.generations.values.filter { !knowledge.canHave($0) }.map(\.name))
    }

    /// What one machine writes, in its order. It says what it has changed item by item.
    private struct Writing {
        private var item: SharedItemID?
        private var settings: Settings?

        mutating func beginRecord() { settings?.isInRecord = false }

        mutating func note(
            _ carried: CarriedChange, _ generation: StatementName, isHidden: Bool, to device: WriterID,
            _ given: inout [SharedItemID: [GivenOut]]
        ) {
            let change = carried.change
            if item != change.item { (item, settings) = (change.item, nil) }
            if change.part == .name || change.part == .access {
                settings = Settings(clock: max(change.stamp.clock, settings?.clock ?? 0))
            }
            guard let value = carried.value else { return }
            given[change.item, default: []].append(
                GivenOut(
                    change: change, value: value, generation: generation,
                    reach: reach(change, value, isHidden: isHidden, device), settings: settings))
        }

        private func reach(
            _ change: PartChange, _ value: CarriedValue, isHidden: Bool, _ device: WriterID
        ) -> Reach? {
            // What it has set itself, it knows in any case.
            let own: Reach? = change.stamp.writer == device ? .asks : nil
            if change.asksNobody { return isHidden ? own.map { _ in .free } : .free }
            if isHidden { return own }
            // Slots of other kinds can be for it, too.
            if value.slots.contains(where: { $0.device == nil }) { return .free }
            return value.slots.contains { $0.device == device } ? .asks : own
        }
    }
}

extension PartChange {
    /// Whether it gives a value that is read without asking a person.
    var asksNobody: Bool {
        guard case .value(let content)? = content else { return false }
        return content.access.requirements.isEmpty
    }
}
