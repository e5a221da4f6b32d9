import Circle

/// What the machines of a circle say that they have taken in. Their heads say it, so nobody writes a record for it, and
/// nobody answers an answer.
extension CircleView {
    /// The ends up to which this vault has taken in the other devices' streams, as far as one head has room. Members come
    /// first. What was said before stays while something newer is incomplete.
    var seen: [SeenEnd] {
        let former = Dictionary(uniqueKeysWithValues: ownHead?.seen.map { ($0.device, $0.end) } ?? [])
        let members = members
        let others = streams.keys.filter { $0 != device.id && !members.contains($0) }
        return Array(
            (members.sorted() + others.sorted())
                .compactMap { id in (takenIn(of: id) ?? former[id]).map { SeenEnd(id, $0) } }
                .prefix(StreamHead.mostSeen)
        ).sorted { $0.device < $1.device }
    }

    /// Whether this vault has taken in something that its head does not name yet.
    fileprivate var owesAnswer: Bool { !Set(seen).isSubset(of: ownHead?.seen ?? []) }

    /// Whether a member has said that it has taken in all that this device gave out.
    func hasTakenAll(_ member: WriterID) -> Bool {
        guard let end = device.end, let head = streams[member]?.newest?.head else { return false }
        return head.seen.contains(SeenEnd(device.id, end))
    }

    /// The head that this device has signed at its present end; nil if there is none, or the store has a later one.
    fileprivate var ownHead: StreamHead? {
        guard let head = streams[device.id]?.newest?.head, head.end == device.end else { return nil }
        return head
    }

    private var members: Set<WriterID> { Set(membership.members.map(\.keys.device)).subtracting([device.id]) }
}

extension OpenVault {
    /// The head at the present end once more, with what was taken in since. Its run goes on, so it begins no other one.
    ///
    /// - Returns: nil if there is nothing to say.
    func acknowledgement(_ view: CircleView) throws(VaultError) -> PreparedRecords? {
        guard let head = view.ownHead, view.owesAnswer else { return nil }
        var writer = try RecordWriter(view.device, after: head.end, in: head.end.run, before: view.device)
        return try finish(&writer, view, given: [], after: head.time)
    }
}
