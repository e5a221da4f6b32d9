import Circle

/// What the machines of a circle say that they have taken in. Their heads say it, so that nobody writes a record for it,
/// and nobody answers an answer. What no longer fits into a head goes into a record, which nobody answers either.
extension CircleView {
    /// The ends up to which this vault has taken in the other members' streams, as far as no record of its own names them.
    /// What was said before stays while something newer is incomplete, and while nothing was said behind it.
    private var unsaid: [SeenEnd] { members.sorted().compactMap(unsaid) }

    private func unsaid(of id: WriterID) -> SeenEnd? {
        let inRecords = vouched.ends(by: device.id, of: id)
        let former = ownHead?.seen.first { $0.device == id }?.end
        guard let end = takenIn(of: id) else {
            return former.flatMap { inRecords.contains($0) ? nil : SeenEnd(id, $0) }
        }
        guard !inRecords.contains(where: { isEndOfAll($0, of: id) }) else { return nil }
        return SeenEnd(id, former.flatMap { isEndOfAll($0, of: id) ? $0 : nil } ?? end)
    }

    /// The ends that a record has to name, because a head has no room for them; nil while it has.
    var seenRecord: [SeenEnd]? {
        let all = unsaid
        return all.count > StreamHead.mostSeen ? Array(all.prefix(CircleLimits.heads)) : nil
    }

    /// The ends that the next head names. Members come first.
    var seen: [SeenEnd] {
        let members = members
        let readers = readers
        let others = streams.keys.filter { $0 != device.id && !members.contains($0) && !readers.contains($0) }
        return Array((unsaid + others.sorted().compactMap(unsaid)).prefix(StreamHead.mostSeen))
            .sorted { $0.device < $1.device }
    }

    /// Whether this vault has taken in something that neither its head nor a record names yet.
    fileprivate var owesAnswer: Bool { !Set(seen).isSubset(of: ownHead?.seen ?? []) }

    /// The ends of a device's stream up to which another one says that it has taken it in.
    func named(by member: WriterID, of device: WriterID) -> [RunEnd] {
        let inHead = streams[member]?.newest?.head.seen.filter { $0.device == device }.map(\.end) ?? []
        return inHead + vouched.ends(by: member, of: device)
    }

    /// Whether a member has said that it has taken in all that this device gave out.
    func hasTakenAll(_ member: WriterID) -> Bool {
        // What a reader writes changes nothing, so nobody says to have it.
        role?.mayWrite == false
            || device.end != nil && named(by: member, of: device.id).contains { isEndOfAll($0, of: device.id) }
    }

    /// The head that this device has signed at its present end; nil if there is none, or the store has a later one.
    fileprivate var ownHead: StreamHead? {
        guard let head = streams[device.id]?.newest?.head, head.end == device.end else { return nil }
        return head
    }

    /// Those whose records change anything. Nobody answers a paper or a reader. Otherwise each of a thousand servers would name
    /// all others, and answer their answers.
    private var members: Set<WriterID> {
        Set(membership.members.filter(\.role.mayWrite).map(\.keys.device)).subtracting([device.id])
    }
}

/// When a machine signs its head again although nothing has changed. Without that, a machine with nothing to say would look
/// like one that is off, or one whose files somebody withholds (docs/sync-format.md, "Heads").
enum SignOfLife {
    /// Milliseconds. If each of a thousand servers did it daily, a thousand files a day would change. So readers do it less
    /// often.
    private static func interval(_ role: MemberRole) -> UInt64 { role.mayWrite ? 86_400_000 : 20 * 86_400_000 }

    /// Whether it is due. Each device waits up to a quarter longer, so that machines of one age do not come at once.
    ///
    /// - Parameters:
    ///   - said: the time of the device's head, in milliseconds since 1970-01-01 UTC.
    ///   - now: likewise.
    static func isDue(_ device: WriterID, _ role: MemberRole, said: UInt64, now: UInt64) -> Bool {
        guard now >= said else { return false }
        let interval = interval(role)
        return now - said >= interval + interval / 1024 * UInt64(device.bytes[0])
    }
}

extension OpenVault {
    /// The head at the present end once more, with what was taken in since. Its run goes on, so it begins no other one.
    ///
    /// - Returns: nil if there is nothing to say.
    func acknowledgement(_ view: CircleView) throws(VaultError) -> PreparedRecords? {
        guard let head = view.ownHead, let role = view.role,
            view.owesAnswer || SignOfLife.isDue(view.device.id, role, said: head.time, now: now())
        else { return nil }
        var writer = try RecordWriter(view.device, after: head.end, in: head.end.run, before: view.device)
        return try finish(&writer, view, given: [], after: head.time)
    }
}
