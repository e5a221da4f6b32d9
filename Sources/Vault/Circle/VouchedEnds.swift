import Circle

/// What devices have said in their records to have taken in of each other. A circle of many devices says much, and each
/// question is about one or two of them.
struct VouchedEnds: Sendable {
    /// What is named, and the chain hash after the record that names it.
    typealias Named = (end: RunEnd, after: ChainHash)

    private var ends: [WriterID: [WriterID: [Named]]] = [:]

    mutating func add(_ seen: [SeenEnd], by device: WriterID, after: ChainHash) {
        for one in seen { ends[device, default: [:]][one.device, default: []].append((one.end, after)) }
    }

    /// What one device has named of another.
    func ends(by device: WriterID, of other: WriterID) -> [RunEnd] { (ends[device]?[other] ?? []).map(\.end) }

    /// What a device has named of these others, in their order.
    func all(by device: WriterID, of others: [WriterID]) -> [(device: WriterID, named: Named)] {
        others.flatMap { other in (ends[device]?[other] ?? []).map { (other, $0) } }
    }
}
