import Authorization
import Circle
import Cryptography
import Item

/// Releases guarded items to machines that cannot read them yet: those that joined after the values were set.
extension OpenVault {
    /// A guarded item, and the machines that lack a way to read it.
    package struct Unreleased: Sendable {
        package let item: ItemSummary
        /// Sorted, at least one.
        package let machines: [WriterID]
        /// How many signatures it takes to open all of its fields, for the way that takes most.
        package let signatures: Int
    }

    /// The live items that a person here can release, sorted by name.
    ///
    /// - Throws: `.notFound` without a circle; `.damaged` for a damaged item, if no other one can be released;
    ///   `.storage`.
    package func unreleased(_ classKeys: ClassKeys) throws(VaultError) -> [Unreleased] {
        try read { (snapshot) throws(VaultError) in
            let lacking = try LackingSlots(view(snapshot, classKeys).1)
            var found: [Unreleased] = []
            var damage: VaultError?
            for item in try snapshot.allItems() where lacking.isReleasable(item, at: now()) {
                var machines: Set<WriterID> = []
                do throws(VaultError) {
                    for value in try snapshot.values(of: item) {
                        machines.formUnion(try lacking.machines(for: value, snapshot).map(\.device))
                    }
                } catch {
                    // Damage of one item keeps no other one from being released.
                    guard error.damagedItem != nil else { throw error }
                    damage = damage ?? error
                    continue
                }
                let most = item.record.access.ways.map { $0.roles.count }.max() ?? 0
                guard !machines.isEmpty else { continue }
                found.append(
                    Unreleased(
                        item: item.summary, machines: machines.sorted(),
                        signatures: most * item.summary.metadata.fields.count))
            }
            if found.isEmpty, let damage { throw damage }
            return found.sorted {
                ($0.item.metadata.service, $0.item.metadata.account)
                    < ($1.item.metadata.service, $1.item.metadata.account)
            }
        }
    }

    /// Makes the slots that items lack for other machines. Their person has been asked, so their keys are there.
    ///
    /// - Parameters:
    ///   - items: as they were when the person was asked.
    ///   - machines: only these get slots. The person was shown them.
    /// - Throws: `.changed` if an item has another version by now; `.notFound` without a circle; `.invalidArgument` if an
    ///   agreement is missing; `.locked`, `.damaged`, `.storage`.
    package func release(
        _ items: [ItemSummary], to machines: [WriterID], _ classKeys: ClassKeys, agreements: Agreements
    ) throws(VaultError) {
        try write { (change) throws(VaultError) in
            let (_, view) = try view(change, classKeys)
            guard view.role != nil else { throw .noMember }
            let lacking = try LackingSlots(view, of: items.map(\.id))
            for summary in items {
                let item = try change.present(summary, now: now())
                guard lacking.isReleasable(item, at: now()) else { continue }
                let values = try change.values(of: item)
                guard !values.contains(where: { $0.field.format == 1 }) else {
                    let chosen = GuardReceivers(view).machines.filter {
                        machines.contains($0.device) || $0.device == view.device.id
                    }
                    try sealAnew(
                        item, values, for: GuardReceivers(circle: view.device.circle, chosen), classKeys, agreements,
                        change)
                    continue
                }
                var offered: [RevisionID: [ValueSlot]] = [:]
                for value in values {
                    let all = try lacking.machines(for: value, change, withOwn: true)
                    guard all.contains(where: { machines.contains($0.device) }) else { continue }
                    let receivers = all.filter { machines.contains($0.device) || $0.device == view.device.id }
                    let key = try itemKey(of: value, classKeys: classKeys, agreements: agreements)
                    var context = value.context(in: format.vault)
                    context.address = nil
                    let (chosen, bound) = (GuardReceivers(circle: view.device.circle, receivers), context)
                    let slots = try cryptography { () throws(CryptographyError) in try chosen.slots(key, bound) }
                    offered[value.field.revision] = try change.offered(value.field.revision) + slots
                }
                try change.offer(offered)
            }
        }
    }

    /// A value of format 1 or 2 is bound to this vault. Sealed anew, it gets its slots like every other one.
    private func sealAnew(
        _ item: StoredItem, _ values: [ItemValue], for receivers: GuardReceivers, _ classKeys: ClassKeys,
        _ agreements: Agreements, _ change: Change
    ) throws(VaultError) {
        var opened: [FieldValue] = []
        for value in values {
            let plain = try open(
                value, change.sealedValue(of: value), classKeys: { classKeys }, agreements: agreements,
                applicationPassword: nil)
            opened.append(FieldValue(value.fieldName, plain))
        }
        _ = try store(
            opened, item.summary.metadata, item.record.access, password: nil, replacing: item, for: .access,
            offering: receivers, change)
    }
}

/// Which machines of a circle lack a way to read a guarded value.
struct LackingSlots {
    private let receivers: [MemberKeys]
    private let view: CircleView
    private var known: [SharedItemID: SharedItem] = [:]
    /// The machines that the slots of a guarded value are for, by the change that gave it.
    private var served: [RevisionName: Set<WriterID>] = [:]

    /// - Parameter items: the vault's items that are asked about; nil for all.
    init(_ view: CircleView, of items: [ItemID]? = nil) throws(VaultError) {
        self.view = view
        receivers = GuardReceivers(view).machines
        let asked = items.map { Set($0.map(\.bytes)) }
        var guarded: [PartChange] = []
        for item in view.state.items {
            for id in item.ids { known[id] = item }
            guard item.ids.contains(where: { asked?.contains($0.bytes) ?? true }) else { continue }
            for shown in item.parts.filter(\.isField).compactMap(item.shown) {
                if case .value(let content)? = shown.content, !content.access.requirements.isEmpty {
                    guarded.append(shown)
                }
            }
        }
        // All at once, so that each record is opened once.
        let values = try view.values(of: guarded)
        for shown in guarded {
            guard let value = values[shown.name]?.value else { continue }
            served[shown.name] = Set(view.slots(of: shown, value).joined().compactMap(\.device))
        }
    }

    func isReleasable(_ item: StoredItem, at now: UInt64) -> Bool {
        !item.record.access.requirements.isEmpty && TravelRule.obstacle(item.record.access) == nil
            && !item.summary.isDeleted && !item.summary.metadata.isExpired(at: now)
    }

    /// - Parameter withOwn: this machine is named, too, if it could not take the value in again.
    func machines(
        for value: ItemValue, _ snapshot: Snapshot, withOwn: Bool = false
    ) throws(VaultError) -> [MemberKeys] {
        var slots = try snapshot.offered(value.field.revision)
        var served: Set<WriterID> = []
        if let id = SharedItemID(bytes: value.item.id.bytes), let item = known[id], try item.hasValue(value),
            let shown = item.shown(.field(value.fieldName))
        {
            // All members read what asks nobody, and have sealed it for themselves.
            if case .value(let content)? = shown.content, content.access.requirements.isEmpty { return [] }
            slots += view.pendingSlots.filter { $0.change == shown.name }.flatMap(\.slots)
            served = self.served[shown.name] ?? []
        }
        served.formUnion(slots.compactMap(\.device))
        return receivers.filter { machine in
            (withOwn || machine.device != view.device.id) && !served.contains(machine.device)
                // To a machine whose keys are none, a person would release it in vain, again and again.
                && value.field.access.requirements.allSatisfy { machine.point(of: $0).map(P256.isOnCurve) ?? false }
        }
    }
}
