/// Which keys somebody made who knew that a device is no member. That device never had them: it is none of their
/// receivers, and no answer to a request can have brought them to it.
package struct RemovalKnowledge: Sendable {
    /// How many sets of removals are compared. Whoever may remove chooses how many there are.
    package static let most = 4_096

    private let device: WriterID
    /// What such keys say of the removals that their maker knew.
    private var digests: Set<[UInt8]> = []

    /// - Parameter statements: those of the circle.
    /// - Throws: `.hash`.
    package init(
        of device: WriterID, in membership: Membership, _ statements: [Statement]
    ) throws(CircleFormError) {
        self.device = device
        let known = Dictionary(statements.map { ($0.name, $0) }) { first, _ in first }
        let all = Set(membership.removals)
        var before: [StatementName: Set<StatementName>] = [:]
        for name in all.sorted() { before[name] = Self.past(of: name, known).intersection(all) }
        let own = all.sorted().filter { known[$0]?.removes(device) ?? false }
        guard !own.isEmpty else { return }
        // Each set that a maker can have known: with a statement, its past is known. The largest one is first, because
        // that is what members write to. With more sets than these, the others are taken for keys that the device has.
        var seen: Set<Set<StatementName>> = []
        var open = [all] + own.map { (before[$0] ?? []).union([$0]) }
        while let set = open.first, seen.count < Self.most {
            open.removeFirst()
            guard seen.insert(set).inserted else { continue }
            digests.insert(try Membership.digest(ofRemovals: set.sorted()))
            open += all.subtracting(set).sorted().filter { before[$0]?.isSubset(of: set) ?? false }
                .prefix(Self.most).map { set.union([$0]) }
            open = Array(open.prefix(Self.most))
        }
    }

    /// Whether the device can have the keys, as far as somebody else can tell.
    package func canHave(_ generation: KeyGeneration) -> Bool {
        generation.maker == device || generation.receivers.contains { $0.device == device }
            || !digests.contains(generation.removals)
    }

    private static func past(of name: StatementName, _ known: [StatementName: Statement]) -> Set<StatementName> {
        var past: Set<StatementName> = []
        var open = known[name]?.past ?? []
        while let one = open.popLast() {
            guard past.insert(one).inserted else { continue }
            open += known[one]?.past ?? []
        }
        return past
    }
}

extension Statement {
    fileprivate func removes(_ device: WriterID) -> Bool {
        switch content {
        case .removal(let devices): devices.contains(device)
        case .succession: signer == device
        case .founding, .addition: false
        }
    }
}
