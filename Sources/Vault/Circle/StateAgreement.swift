import Circle

/// Machines that have the same changes have made the same of them, or one of them has a fault.
extension CircleView {
    /// - Parameter given: those of what waits that the records with it have.
    func stateDigest(given: [UInt64]) throws(VaultError) -> [UInt8] {
        try merging { () throws(MergingError) in
            try (given.count == pending.count ? state : givenState ?? state).digest.bytes
        }
    }

    /// That of all that is known here.
    func stateDigest() throws(VaultError) -> [UInt8] { try stateDigest(given: pending.map(\.number)) }

    /// The devices that have said something that decides what others make of the changes. Of a thousand servers, all but a
    /// few only read, so they are found once and not for each member.
    var telling: [WriterID] { streams.filter { !$0.value.counted.isEmpty && !isSilent($0.key) }.map(\.key) }

    /// Whether a member has made the same of the same changes (docs/sync-format.md, “Heads”).
    /// - Parameters:
    ///   - digest: of what was given out, as this vault has made it.
    ///   - telling: ``telling``.
    /// - Returns: nil if one of the two has something that the other one lacks.
    func agrees(_ member: WriterID, with digest: [UInt8], _ telling: [WriterID]) throws(VaultError) -> Bool? {
        guard member != device.id, role != nil, unread == 0, let stream = streams[member], !stream.isSuspended,
            let end = takenIn(of: member), let head = stream.newest?.head, head.end == end
        else { return nil }
        for id in telling where id != member {
            let named = named(by: member, of: id)
            // What the members name of a removed device decides what counts. That can be in any of their records.
            let hasAll =
                membership.others.isEmpty
                ? named.contains { isEndOfAll($0, of: id) } : named.contains { $0 == takenIn(of: id) }
            guard hasAll else { return nil }
        }
        return head.stateDigest == digest
    }

    /// Whether a device has said nothing that decides what others make of the changes. What it names of a removed device
    /// decides that, unless it only reads.
    private func isSilent(_ id: WriterID) -> Bool {
        readers.contains(id)
            || membership.others.isEmpty && streams[id]?.counted.allSatisfy { silent.contains($0.after) } ?? true
    }
}
