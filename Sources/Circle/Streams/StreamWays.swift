import Authorization

/// The ways that lead through a device's records: one from each signed head, and from there one through each run before.
///
/// A store keeps one head of each device, that of its newest run. It names the end of the run before. Where that run begins,
/// its first chain hash says what was before it, and so on. So nobody needs the heads of former runs, which can be in records
/// that only the former runs make readable.
struct StreamWays {
    /// What has a chain hash after it.
    typealias Links = [ChainHash: (before: ChainHash, record: KnownRecord)]

    /// The beginning of a run.
    struct Start {
        let chain: ChainHash
        let predecessor: RunEnd?

        /// The number before the run's first record.
        var number: UInt64 { predecessor?.number ?? 0 }
    }

    struct Way {
        let end: RunEnd
        /// nil if no head says it, and the records that lead there are missing.
        let start: Start?
    }

    private(set) var all: [RunID: [Way]] = [:]

    /// - Parameter heads: the device's own, well signed.
    /// - Throws: `.hash`.
    init(
        of device: WriterID, in circle: StatementName, _ heads: [StreamHead], _ links: Links
    ) throws(CircleFormError) {
        func beginning(_ run: RunID, after predecessor: RunEnd?) throws(CircleFormError) -> Start {
            Start(
                chain: try ChainHash(circle: circle, device: device, run: run, after: predecessor),
                predecessor: predecessor)
        }
        // A member can sign any number of heads. Each end is looked at once, each run is gone along once, and what is
        // compared has a limit.
        var (ends, starts): (Set<RunEnd>, [RunID: Start]) = ([], [:])
        var (passed, tries): (Set<ChainHash>, Int) = ([], 0)
        for head in heads {
            let start = try beginning(head.end.run, after: head.predecessor)
            all[head.end.run, default: []].append(Way(end: head.end, start: start))
            starts[head.end.run] = starts[head.end.run] ?? start
            ends.insert(head.end)
        }
        var open = heads.compactMap(\.predecessor)
        var places: [UInt64: [RunEnd]]?
        while let end = open.popLast() {
            guard ends.insert(end).inserted else { continue }
            var found = starts[end.run]
            var (chain, number) = (end.chain, end.number)
            while found == nil, number > 0, let link = links[chain], link.record.header.run == end.run,
                link.record.header.number == number, passed.insert(chain).inserted
            {
                (chain, number) = (link.before, number - 1)
            }
            // The hash before a run's first record is made of where the run before was left.
            if found == nil, number == 0 {
                let first = try beginning(end.run, after: nil)
                if first.chain == chain { found = first }
            }
            if found == nil {
                let known = places ?? Self.places(links)
                places = known
                let near = known[number] ?? []
                tries += near.count
                for place in near where tries <= Self.mostTries && place.run != end.run {
                    let start = try beginning(end.run, after: place)
                    guard start.chain == chain else { continue }
                    found = start
                    open.append(place)
                    break
                }
            }
            starts[end.run] = found
            all[end.run, default: []].append(Way(end: end, start: found))
        }
    }

    /// How many places are compared with beginnings. A device's runs have one place at each number, unless its vault was
    /// rolled back.
    private static let mostTries = 1 << 20

    /// The places behind records, by their numbers.
    private static func places(_ links: Links) -> [UInt64: [RunEnd]] {
        var places: [UInt64: [RunEnd]] = [:]
        for (chain, link) in links {
            let header = link.record.header
            if let end = RunEnd(run: header.run, number: header.number, chain: chain) {
                places[header.number, default: []].append(end)
            }
        }
        return places
    }
}
