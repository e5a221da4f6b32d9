/// What a record seals (docs/sync-format.md, “Bodies”).
package enum RecordBody: Sendable {
    case statement(SignedStatement)
    case generation(KeyGeneration)
    /// What merging reads, in the order in which the changes were made.
    case changes([CarriedChange])
    /// The heads of others that changed since the device's record before of this kind, sorted.
    case seen([SeenEnd])
    /// A head of any device, passed on.
    case head(SignedHead)
    /// What the device says of itself. The last one counts.
    case profile(DeviceProfile)
    /// Ways to values that were given out before.
    case released([ReleasedSlots])
    /// Sealed to the circle's paper. Everybody can open the record.
    case paper(PaperEnvelope)
    /// What the device gave out before, once more. The generation is that of the former record.
    indirect case again(RecordBody, of: StatementName)
    /// What the device no longer gives out.
    case past(PastChanges)
    /// What stands for all that the device gave out before.
    case summary(StreamSummary)
    /// Of a kind that this reader does not know. The record waits.
    case unknown(kind: UInt8, content: [UInt8])

    /// - Throws: `.length` for too many changes.
    package func bytes() throws(CircleFormError) -> [UInt8] {
        switch self {
        case .statement(let signed): [1] + signed.bytes
        case .generation(let generation): [2] + generation.bytes
        case .changes(let changes): [3] + (try CarriedChange.content(changes))
        case .seen(let seen): [4] + [UInt8](list: seen, \.bytes)
        case .head(let head): [5] + head.bytes
        case .profile(let profile): [6] + profile.bytes
        case .released(let all): [7] + (try ReleasedSlots.content(all))
        case .paper(let envelope): [8] + envelope.bytes
        case .again(let body, let generation): [9] + generation.bytes + (try body.bytes())
        case .past(let past): [10] + past.bytes
        case .summary(let summary): [11] + summary.bytes
        case .unknown(let kind, let content): [kind] + content
        }
    }

    /// - Parameter header: of the record that seals it.
    /// - Throws: `CircleFormError`; `.place` for a body that everybody could open and should not, or of another circle.
    package init(decoding bytes: [UInt8], in header: CircleRecord.Header) throws(CircleFormError) {
        var rest = bytes[...]
        guard rest.count <= CircleLimits.body else { throw .length }
        let kind = try rest.integer(UInt8.self)
        // Names and lists of members would lie open in the store.
        guard header.generation != nil || [1, 2, 8].contains(kind) else { throw .place }
        switch kind {
        case 1:
            let signed = try SignedStatement(decoding: Array(rest))
            guard (signed.statement.circle ?? signed.statement.name) == header.circle else { throw .place }
            self = .statement(signed)
        case 2:
            guard rest.count <= CircleLimits.generation else { throw .length }
            let generation = try KeyGeneration(decoding: Array(rest))
            guard generation.circle == header.circle, generation.maker == header.device else { throw .place }
            self = .generation(generation)
        case 3:
            self = .changes(try CarriedChange.list(Array(rest)))
        case 4:
            let seen = try SeenEnd.list(from: &rest)
            try rest.end()
            guard seen.allSatisfy({ $0.device != header.device }) else { throw .place }
            self = .seen(seen)
        case 5:
            let head = try SignedHead(decoding: Array(rest))
            guard head.head.circle == header.circle else { throw .place }
            self = .head(head)
        case 6:
            self = .profile(try DeviceProfile(from: &rest))
            try rest.end()
        case 7: self = .released(try ReleasedSlots.list(Array(rest)))
        case 8:
            // The paper finds it before it has a key of the circle.
            guard header.generation == nil else { throw .place }
            self = .paper(try PaperEnvelope(decoding: Array(rest)))
        case 9:
            let generation = try rest.circle()
            let former = try CircleRecord.Header(
                circle: header.circle, device: header.device, run: header.run, number: header.number,
                generation: generation)
            // What is in it is no compaction, and is not said a third time.
            guard let kind = rest.first, kind < 8 else { throw .kind }
            self = .again(try RecordBody(decoding: Array(rest), in: former), of: generation)
        case 10: self = .past(try PastChanges(decoding: Array(rest)))
        case 11: self = .summary(try StreamSummary(decoding: Array(rest), in: header))
        default: self = .unknown(kind: kind, content: Array(rest))
        }
    }
}
