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
        func start(_ run: RunID, after predecessor: RunEnd?) throws(CircleFormError) -> Start {
            Start(
                chain: try ChainHash(circle: circle, device: device, run: run, after: predecessor),
                predecessor: predecessor)
        }
        for head in heads {
            all[head.end.run, default: []].append(
                Way(end: head.end, start: try start(head.end.run, after: head.predecessor)))
        }
        var open = heads.compactMap(\.predecessor)
        var places: [UInt64: [RunEnd]]?
        while let end = open.popLast() {
            guard !all[end.run, default: []].contains(where: { $0.end == end }) else { continue }
            var (chain, number) = (end.chain, end.number)
            while number > 0, let link = links[chain], link.record.header.run == end.run,
                link.record.header.number == number
            {
                (chain, number) = (link.before, number - 1)
            }
            var found = all[end.run]?.lazy.compactMap(\.start).first
            // The hash before a run's first record is made of where the run before was left.
            if found == nil, number == 0 {
                let first = try start(end.run, after: nil)
                if first.chain == chain { found = first }
            }
            if found == nil {
                let known = places ?? Self.places(links)
                places = known
                for place in known[number] ?? [] where place.run != end.run {
                    let start = try start(end.run, after: place)
                    guard start.chain == chain else { continue }
                    found = start
                    open.append(place)
                    break
                }
            }
            all[end.run, default: []].append(Way(end: end, start: found))
        }
    }

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
