import Authorization
import Cryptography

/// Who is a member of a circle: a function of the set of statements. The order in which they arrive, clocks, and who
/// asks decide nothing (docs/sync-members.md, “Rules”).
package struct Membership: Equatable, Sendable {
    package struct Member: Equatable, Sendable {
        package let keys: MemberKeys
        package let role: MemberRole
        /// The generations whose keys it was given as it came, without being one of their receivers.
        package let given: Set<StatementName>
    }

    /// Sorted by id.
    package private(set) var members: [Member] = []
    /// Devices that a statement named and that are no members, sorted: they can tell their person.
    package private(set) var others: [WriterID] = []
    /// Those of them that were readers, or paper: what they wrote has no effect, also now.
    package private(set) var formerReaders: [WriterID] = []
    /// Statements whose past is not known yet, sorted. They count when it is.
    package private(set) var waiting: [StatementName] = []
    /// The removals and successions that count, sorted.
    package private(set) var removals: [StatementName] = []
    /// What a generation says of them, 32 bytes.
    package private(set) var removalsDigest: [UInt8] = []
    /// Statements that break a rule, sorted. They never count.
    package private(set) var refused: [StatementName] = []

    /// - Parameter circle: the name of its founding statement.
    /// - Throws: `.hash`.
    package init(of circle: StatementName, _ statements: [SignedStatement]) throws(CircleFormError) {
        var history = History(circle)
        // Twice the same statement is one. One of the signatures may be somebody else's.
        var waiting = Dictionary(grouping: statements) { $0.statement.name }.mapValues { Array($0) }
        var ready = waiting.keys.sorted().filter { waiting[$0]?.first?.statement.past.isEmpty == true }
        var followers: [StatementName: [StatementName]] = [:]
        var missing: [StatementName: Int] = [:]
        for name in waiting.keys.sorted() {
            let past = waiting[name]?.first?.statement.past ?? []
            missing[name] = past.count
            for one in past { followers[one, default: []].append(name) }
        }
        while let name = ready.popLast() {
            guard let copies = waiting.removeValue(forKey: name) else { continue }
            if !history.take(copies) { refused.append(name) }
            for follower in followers[name] ?? [] {
                missing[follower, default: 0] -= 1
                if missing[follower] == 0 { ready.append(follower) }
            }
        }
        self.waiting = waiting.keys.sorted()
        refused.sort()
        removals = history.removalNames.sorted()
        removalsDigest = try Self.digest(ofRemovals: removals)
        for device in history.devices {
            if let member = history.member(device, in: nil) {
                members.append(member)
                continue
            }
            others.append(device)
            if history.role(of: device, in: nil)?.mayWrite == false { formerReaders.append(device) }
        }
    }

    /// - Parameter removals: sorted.
    /// - Throws: `.hash`.
    static func digest(ofRemovals removals: [StatementName]) throws(CircleFormError) -> [UInt8] {
        try CircleDigest.of(
            LengthPrefixed.encode(Array("org.coffer.circle.removals".utf8)) + [UInt8](list: removals, \.bytes))
    }
}

/// The statements that were taken so far, each after its past.
private struct History {
    /// How a device came in.
    private struct Introduction {
        let place: Int
        let keys: MemberKeys
        /// Nil for a successor, which keeps the role of the device before it.
        let role: MemberRole?
        /// Nil for the founder.
        let adder: WriterID?
        let given: StatementName?
    }

    private let circle: StatementName
    private var places: [StatementName: Int] = [:]
    /// For each taken or refused statement, what is in its past, itself included.
    private var pasts: [Places] = []
    private var introductions: [WriterID: [Introduction]] = [:]
    /// The names of the removals and successions that count.
    private(set) var removalNames: [StatementName] = []
    /// The places of the removals of each device that count.
    private var removals: [WriterID: [Int]] = [:]
    /// The devices that have a key of any kind, by the key.
    private var holders: [[UInt8]: [WriterID]] = [:]
    /// The devices that somebody has added as paper.
    private var papers: Set<WriterID> = []
    /// The devices that sign statements with a key, by the key.
    private var signers: [[UInt8]: [WriterID]] = [:]

    init(_ circle: StatementName) { self.circle = circle }

    var devices: [WriterID] { introductions.keys.sorted() }

    /// - Returns: whether the statement is within the rules, judged by its own past alone.
    mutating func take(_ copies: [SignedStatement]) -> Bool {
        guard let statement = copies.first?.statement else { return false }
        let place = pasts.count
        var past = Places()
        for name in statement.past { if let one = places[name] { past.formUnion(pasts[one]) } }
        let isGood = isGood(statement, copies, in: past)
        past.insert(place)
        places[statement.name] = place
        pasts.append(past)
        guard isGood else { return false }
        switch statement.content {
        case .removal, .succession: removalNames.append(statement.name)
        case .founding, .addition: break
        }
        switch statement.content {
        case .founding(let keys): introduce(keys, .admin, by: nil, at: place)
        case .addition(let keys, let role, let given):
            introduce(keys, role, by: statement.signer, at: place, given: given)
        case .succession(let keys, _):
            introduce(keys, nil, by: statement.signer, at: place)
            removals[statement.signer, default: []].append(place)
        case .removal(let devices): for device in devices { removals[device, default: []].append(place) }
        }
        return true
    }

    private mutating func introduce(
        _ keys: MemberKeys, _ role: MemberRole?, by adder: WriterID?, at place: Int, given: StatementName? = nil
    ) {
        introductions[keys.device, default: []].append(
            Introduction(place: place, keys: keys, role: role, adder: adder, given: given))
        if role == .paper { papers.insert(keys.device) }
        guard introductions[keys.device]?.count == 1 else { return }
        for key in keys.each { holders[key, default: []].append(keys.device) }
        signers[keys.membership, default: []].append(keys.device)
    }

    private func isGood(_ statement: Statement, _ copies: [SignedStatement], in past: Places) -> Bool {
        if case .founding(let keys) = statement.content {
            return statement.name == circle && isSigned(copies, by: keys)
        }
        guard statement.circle == circle, let signer = member(statement.signer, in: past),
            signer.role != .paper, isSigned(copies, by: signer.keys)
        else { return false }
        switch statement.content {
        case .founding: return false
        case .addition(let keys, let role, _):
            return signer.role == .admin && !isKnown(keys, in: past) && (role != .paper || !hasPaper(in: past))
        case .succession(let keys, let proof):
            let proven = Statement.proofBytes(circle: circle, signer: statement.signer, keys: keys)
            return !isKnown(keys, in: past) && SignedStatement.isValid(proof, for: proven, by: keys.membership)
        // Everybody may leave.
        case .removal(let devices): return signer.role == .admin || devices == [statement.signer]
        }
    }

    private func isSigned(_ copies: [SignedStatement], by keys: MemberKeys) -> Bool {
        copies.contains { copy in
            do throws(CircleFormError) {
                try copy.check(by: keys)
                return true
            } catch {
                return false
            }
        }
    }

    /// Whether one of the keys has been a device's already.
    private func isKnown(_ keys: MemberKeys, in past: Places) -> Bool {
        keys.each.contains { key in
            holders[key, default: []].contains { holder in
                introductions[holder, default: []].contains { past.contains($0.place) }
            }
        }
    }

    /// - Parameter past: the statements that count; nil: all.
    /// - Returns: nil if it is no member by these.
    func member(_ device: WriterID, in past: Places?) -> Membership.Member? {
        guard !isRemoved(device, in: past), let keys = introductions[device]?.first?.keys else { return nil }
        let ways = countingWays(of: device, in: past)
        guard let role = smallest(ways.map(\.role)), role != .paper || isFirstPaper(device, in: past) else {
            return nil
        }
        // A key that was removed under another id is no way back. Of the keys, only this one is proven to be its device's:
        // with others, a device that copies a member's public keys would take the member along.
        let isBack = signers[keys.membership, default: []].contains { isRemoved($0, in: past) }
        // Who is not in the circle gives nothing, so only ways that count are asked.
        return isBack ? nil : Membership.Member(keys: keys, role: role, given: Set(ways.compactMap(\.given)))
    }

    private func hasPaper(in past: Places) -> Bool {
        papers.contains { member($0, in: past)?.role == .paper }
    }

    /// Whether no other paper comes before this one. Two papers count together only if the addition of one knew that the
    /// other was removed. Otherwise only the one with the smaller id counts, for ever.
    private func isFirstPaper(_ device: WriterID, in past: Places?) -> Bool {
        var counting: [WriterID] = []
        for paper in papers.sorted() where paper <= device && role(of: paper, in: past) == .paper {
            if counting.allSatisfy({ isApart(paper, $0, in: past) }) { counting.append(paper) }
        }
        return counting.last == device
    }

    /// Whether each addition of one of two papers knew that the other one was removed.
    private func isApart(_ one: WriterID, _ other: WriterID, in past: Places?) -> Bool {
        let (ones, others) = (places(of: one, in: past), places(of: other, in: past))
        return ones.allSatisfy { place in
            others.allSatisfy { isRemoved(other, in: pasts[place]) || isRemoved(one, in: pasts[$0]) }
        }
    }

    private func places(of device: WriterID, in past: Places?) -> [Int] {
        introductions[device, default: []].map(\.place).filter { past?.contains($0) ?? true }
    }

    private func isRemoved(_ device: WriterID, in past: Places?) -> Bool {
        removals[device, default: []].contains { past?.contains($0) ?? true }
    }

    /// The role that a device came in with. Each of those who let it in, back to the founder, must not have been removed
    /// before. Of two additions at the same time, the smaller role counts.
    func role(of device: WriterID, in past: Places?) -> MemberRole? {
        smallest(countingWays(of: device, in: past).map(\.role))
    }

    /// The additions of a device that count, each with its role and the generation that it gave.
    private func countingWays(
        of device: WriterID, in past: Places?
    ) -> [(role: MemberRole, given: StatementName?)] {
        let own = introductions[device, default: []].filter { past?.contains($0.place) ?? true }
        // All on the ways from the founder, found without recursion: a chain is as long as its members like.
        var needed: [Int: Introduction] = [:]
        var open = own
        while let one = open.popLast() {
            guard needed.updateValue(one, forKey: one.place) == nil else { continue }
            open += ways(to: one)
        }
        var roles: [Int: MemberRole] = [:]
        for place in needed.keys.sorted() {
            guard let one = needed[place] else { continue }
            guard let adder = one.adder else {
                roles[place] = one.role
                continue
            }
            // A removal of the adder ends what it did not know of. A succession is its signer's own removal.
            let isKnownToRemovals = removals[adder, default: []].allSatisfy {
                $0 == place || !(past?.contains($0) ?? true) || pasts[$0].contains(place)
            }
            guard isKnownToRemovals, let given = smallest(ways(to: one).compactMap { roles[$0.place] }) else {
                continue
            }
            roles[place] = one.role ?? given
        }
        return own.compactMap { one in roles[one.place].map { ($0, one.given) } }
    }

    /// How its adder had come in, as far as the adder knew. These places are smaller.
    private func ways(to one: Introduction) -> [Introduction] {
        guard let adder = one.adder else { return [] }
        return introductions[adder, default: []].filter { pasts[one.place].contains($0.place) }
    }

    private func smallest(_ roles: [MemberRole]) -> MemberRole? { roles.min { $0.power < $1.power } }
}

/// A set of places in the history, one bit each.
private struct Places {
    private var words: [UInt64] = []

    mutating func insert(_ place: Int) {
        while words.count <= place / 64 { words.append(0) }
        words[place / 64] |= 1 << (place % 64)
    }

    func contains(_ place: Int) -> Bool {
        place / 64 < words.count && words[place / 64] & 1 << (place % 64) != 0
    }

    mutating func formUnion(_ other: Places) {
        while words.count < other.words.count { words.append(0) }
        for (index, word) in other.words.enumerated() { words[index] |= word }
    }
}
