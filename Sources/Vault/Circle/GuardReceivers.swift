import Authorization
import Circle
import Cryptography
import Item

/// The machines of a circle, as the row `receivers` has them. A guarded value gets slots for them when it is set,
/// because later its key is known only to who has asked the person (docs/sync-format.md, “Values”).
struct GuardReceivers: Sendable, Equatable {
    let circle: StatementName
    /// Sorted by their bytes.
    let machines: [MemberKeys]

    init(circle: StatementName, _ machines: [MemberKeys]) {
        self.circle = circle
        self.machines = machines.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// All members of which only one copy writes. There are none for a vault that is no member. This device is one of
    /// them, so that a vault which lost a value takes it in again.
    init(_ view: CircleView) {
        self.init(
            circle: view.device.circle,
            view.role == nil
                ? []
                : view.membership.members.map(\.keys).filter { keys in
                    keys == view.device.keys || !(view.streams[keys.device]?.isSuspended ?? false)
                })
    }

    /// Empty without any, so that there is no row.
    var encoded: [UInt8] { machines.isEmpty ? [] : circle.bytes + machines.flatMap(\.bytes) }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the receivers of the circle")
        guard let circle = StatementName(bytes: try reader.bytes(StatementName.count)) else {
            throw .damaged("the receivers have no circle")
        }
        var machines: [MemberKeys] = []
        while !reader.isAtEnd {
            let keys = try reader.bytes(MemberKeys.count)
            do throws(CircleFormError) { machines.append(try MemberKeys(bytes: keys)) } catch {
                throw .damaged("the receivers are unreadable", cause: error)
            }
        }
        self.init(circle: circle, machines)
    }

    /// The slots for all of them. Needs public keys only.
    ///
    /// - Parameter context: of the value, as this vault has it.
    /// - Returns: none for a machine that could not ask for this, or whose keys are no keys.
    func slots(_ itemKey: SecretBytes, _ context: FieldContext) throws(CryptographyError) -> [ValueSlot] {
        var slots: [ValueSlot] = []
        for machine in machines {
            let own = try self.slots(itemKey, context, for: machine)
            // A value has room for so many. The others get theirs by a release.
            if slots.count + own.count <= CircleLimits.slots { slots += own }
        }
        return slots
    }

    private func slots(
        _ itemKey: SecretBytes, _ context: FieldContext, for machine: MemberKeys
    ) throws(CryptographyError) -> [ValueSlot] {
        var context = context
        context.address = SlotAddress(circle: circle, machine)
        let name = try context.nameDigest()
        var slots: [ValueSlot] = []
        for shape in FieldRecord.shapes(for: context.access, isAddressed: true) {
            let points = shape.requirements.inOrder.compactMap { machine.point(of: $0) }
            guard points.count == shape.requirements.count,
                let place = KeyClass.receiving.firstIndex(where: { $0.kind == shape.keyClass.kind })
            else { return [] }
            do throws(CryptographyError) {
                let slot = try Slot.wrap(
                    itemKey, shape,
                    for: SlotRecipients(classKey: machine.receiving[place], constraintKeys: points), password: nil,
                    context)
                slots.append(.device(machine.device, name: name, content: slot.encoded))
            } catch {
                // A machine that names something else as its keys must not keep others from storing values.
                guard error.code == .invalidKey else { throw error }
                return []
            }
        }
        return slots
    }
}

extension ValueSlot {
    /// Whether a person is asked before it opens.
    var isGuarded: Bool { if case .device = self { true } else { false } }

    /// The device that it is for; nil for one that all members can use.
    var device: WriterID? { if case .device(let device, _, _) = self { device } else { nil } }

    /// Whether a member can use it.
    func isFor(_ membership: Membership) -> Bool {
        guard case .device(let device, _, _) = self else { return true }
        return membership.members.contains { $0.keys.device == device }
    }
}

extension Snapshot {
    /// - Returns: nil if no other machine gets slots for values with this access control.
    func receivers(for access: AccessControl) throws(VaultError) -> GuardReceivers? {
        guard !access.requirements.isEmpty, TravelRule.obstacle(access) == nil else { return nil }
        return try circle(.receivers).map { (bytes) throws(VaultError) in try GuardReceivers(decoding: bytes) }
    }

    /// The slots that a value has for other machines, and that were not said to the circle yet.
    func offered(_ revision: RevisionID) throws(VaultError) -> [ValueSlot] {
        guard let bytes = try circle(.offered(revision)) else { return [] }
        do throws(CircleFormError) { return try ReleasedSlots.slots(decoding: bytes) } catch {
            throw .damaged("the slots for other machines are unreadable", cause: error)
        }
    }
}

extension Change {
    /// Keeps the slots of values for other machines until they are said to the circle.
    func offer(_ slots: [RevisionID: [ValueSlot]]) throws(VaultError) {
        let some = slots.filter { !$0.value.isEmpty }
        guard !some.isEmpty, let device = try circle(.device) else { return }
        for (revision, slots) in some {
            let row = CircleRow.offered(revision)
            let bytes = ReleasedSlots.bytes(of: Array(slots.prefix(CircleLimits.slots)))
            // What others have written must not keep this vault from storing a value. Its person can release it later.
            guard try rows.circleBytes() + Int64(row.id.count + bytes.count) <= room.circle else { continue }
            try put(row, bytes)
        }
        try put(device: CircleDevice(decoding: device))
    }

    /// Keeps who gets slots from now on. The device's row must be written afterwards.
    func put(_ receivers: GuardReceivers) throws(VaultError) {
        let bytes = receivers.encoded
        guard try circle(.receivers) ?? [] != bytes else { return }
        try put(.receivers, bytes)
    }
}
