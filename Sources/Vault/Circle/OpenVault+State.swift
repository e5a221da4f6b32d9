import Authorization
import Circle
import Item

/// Tells how a vault's circle is.
extension OpenVault {
    /// What a vault's circle is, for people.
    package struct CircleState: Sendable {
        package struct Machine: Sendable {
            package let device: WriterID
            package let role: MemberRole
            package let profile: DeviceProfile?
            package let isOwn: Bool
            /// The time of its newest head, in milliseconds since 1970-01-01 UTC.
            package let heard: UInt64?
            package let isForked: Bool
            /// Whether it has said that it has taken in all that this vault gave out.
            package let hasTakenAll: Bool
            /// Whether it has made the same of the same changes; nil if that cannot be told.
            package let agrees: Bool?
            /// How many of its records are announced by its heads and are not here.
            package let missing: Int
        }

        package struct Paper: Sendable {
            package let device: WriterID
            /// In milliseconds since 1970-01-01 UTC, by the clock of who made it; nil if that is not known yet.
            package let made: UInt64?
        }

        package let circle: StatementName
        package let machines: [Machine]
        /// The code on paper that reads what is shared; nil if there is none.
        package let paper: Paper?
        /// Those that were removed or have left, with what they said of themselves.
        package let former: [(device: WriterID, profile: DeviceProfile?, isPaper: Bool, hasLeft: Bool)]
        /// Of these, what the vault's own device was before it renewed its keys, the first one first.
        package let succeeded: [WriterID]
        package let digest: [UInt8]
        /// Whether the vault's own device is a member.
        package let isMember: Bool
        package let pending: Int
        /// Records that wait: for a key, for others, or for a later version, and those that have not come.
        package let waiting: Int
        /// The parts that machines have changed at the same time; nil if only an unlocked vault can tell.
        package let conflicts: Int?
    }

    /// - Parameter item: what waits, and what machines have, is about this item's changes; nil for all of this vault's.
    /// - Returns: nil without a circle.
    /// - Throws: `.invalidArgument` for an item that is not shared; `.damaged`, `.storage`.
    package func circleState(_ classKeys: ClassKeys, of item: ItemID? = nil) throws(VaultError) -> CircleState? {
        try read { (snapshot) throws(VaultError) in
            guard let (material, view) = try viewIfPresent(snapshot, classKeys) else { return nil }
            let changes = try item.map { (item) throws(VaultError) in
                try ItemChanges(of: item, in: view, material.shared, snapshot)
            }
            let digest = try view.stateDigest(given: [])
            let (leavers, telling) = (view.leavers, view.telling)
            let machines = try view.membership.members.filter { $0.role != .paper }
                .map { (member) throws(VaultError) in
                    let stream = view.streams[member.keys.device]
                    return CircleState.Machine(
                        device: member.keys.device, role: member.role, profile: view.profiles[member.keys.device],
                        isOwn: member.keys == view.device.keys, heard: stream?.newest?.head.time,
                        isForked: stream?.isSuspended ?? false,
                        hasTakenAll: changes?.areAll(at: member.keys.device) ?? view.hasTakenAll(member.keys.device),
                        agrees: try view.agrees(member.keys.device, with: digest, telling),
                        missing: view.missing(of: member.keys.device))
                }
            return CircleState(
                circle: view.device.circle, machines: machines,
                paper: view.paper.map { CircleState.Paper(device: $0.device, made: view.paperMade) },
                former: view.membership.others.map { ($0, view.profiles[$0], view.isPaper($0), leavers.contains($0)) },
                succeeded: material.ownDevices.dropLast(),
                digest: try view.stateDigest(),
                isMember: view.role != nil,
                pending: changes?.pending ?? view.pending.count + view.pendingSlots.count,
                waiting: view.waiting,
                conflicts: try conflictCount(view, view.state.items, material.shared, snapshot))
        }
    }
}
