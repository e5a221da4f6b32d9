import Circle
import Item

/// What an item had when its device took it out of the circle: the device put it into the bin of the others. If it comes
/// back, only that is replaced. The device has never shown what others have set since.
struct ItemLeaving {
    private let device: WriterID
    /// The values that it had.
    private let values: Set<RevisionName>
    /// When it left, by the device's clock.
    let time: UInt64

    /// - Returns: nil if the device has not taken it out.
    init?(of item: SharedItem, by device: WriterID) {
        let moves = item.revisions(of: .bin).filter { $0.stamp.writer == device }
        guard let time = moves.map(\.stamp.clock).max() else { return nil }
        var values: Set<RevisionName> = []
        for case .bin(let record)? in moves.map(\.content) { values.formUnion(record.values) }
        (self.device, self.values, self.time) = (device, values, time)
    }

    /// Of one that others have taken out of their bin since, only its own device knows that it had left.
    init(at time: UInt64, by device: WriterID) { (self.device, self.time, values) = (device, time, []) }

    /// Of what is no value, only the stamps tell.
    private func had(_ revision: PartChange) -> Bool {
        guard revision.stamp.writer != device else { return true }
        return switch revision.part {
        case .field: values.contains(revision.name)
        // A requirement that the device may not have seen stays, by all clocks.
        case .access: false
        default: revision.stamp.clock <= time
        }
    }

    /// A change that replaces no more than that.
    ///
    /// - Parameter content: nil removes it.
    /// - Returns: nil if there is nothing to remove.
    func change(
        _ part: SharedPart, of item: SharedItem, to content: PartContent?, by writer: PartWriter
    ) throws(MergingError) -> PartChange? {
        let replaced = item.revisions(of: part).filter(had).prefix(PartChange.mostReplaced)
        guard content != nil || !replaced.isEmpty else { return nil }
        // Of access controls, each id of an item has its own.
        let own = part == .access ? replaced.filter { $0.item == item.id } : Array(replaced)
        return try PartChange(
            item: item.id, part: part,
            stamp: PartStamp(at: writer.now, replacing: own.map(\.stamp), writer: writer.writer),
            replacing: own.map(\.name), content: content)
    }
}
