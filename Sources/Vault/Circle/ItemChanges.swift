import Circle
import Item

/// Where the changes of one item were given out, so that one can tell who has them.
struct ItemChanges {
    private let view: CircleView
    /// The number of the last record with a change of it, or with a release, by its writer.
    private var last: [WriterID: UInt64] = [:]
    /// How many were not given out yet.
    private(set) var pending = 0

    /// - Throws: `.invalidArgument` for an item that the circle does not have.
    init(
        of item: ItemID, in view: CircleView, _ here: SharedItems, _ snapshot: Snapshot
    ) throws(VaultError) {
        self.view = view
        guard let shared = view.state.items.first(where: { $0.ids.contains { $0.bytes == item.bytes } }) else {
            throw VaultError(
                .invalidArgument, "this secret is not shared with other machines", advice: "see why: coffer sync now")
        }
        var names: Set<RevisionName> = []
        var released: [(change: RevisionName, record: DeviceStream.Counted)] = []
        for stream in view.streams.values {
            for counted in stream.counted {
                let record = counted.record
                switch try view.open(record)?.body {
                case .changes(let all):
                    let own = all.map(\.change).filter { shared.ids.contains($0.item) && view.state.has($0.name) }
                    guard !own.isEmpty else { continue }
                    names.formUnion(own.map(\.name))
                    note(counted)
                case .released(let all): released += all.map { ($0.change, counted) }
                default: break
                }
            }
        }
        for one in released where names.contains(one.change) { note(one.record) }
        pending =
            view.pending.count { shared.ids.contains($0.change.carried.change.item) }
            + view.pendingSlots.count { names.contains($0.change) }
        // What was set here and not found by an exchange yet waits, too.
        guard let own = try snapshot.itemIfPresent(item), !own.summary.isDeleted else { return }
        for value in try snapshot.values(of: own) {
            let (part, revision) = (SharedPart.field(value.fieldName), value.field.revision.bytes)
            guard try !shared.hasValue(value), try !here.isWithheld(part, of: item, present: revision) else { continue }
            pending += 1
        }
    }

    private mutating func note(_ counted: DeviceStream.Counted) {
        let header = counted.record.header
        let compacted = view.compacted[header.device]
        // Who had what a compaction repeats need not take it in once more.
        let number = compacted.flatMap { $0.group.contains(counted.after) ? $0.summary.said : nil } ?? header.number
        last[header.device] = max(last[header.device] ?? 0, number)
    }

    /// Whether a member has said that it has taken in all of them. Nobody says it of a machine that was removed.
    func areAll(at member: WriterID) -> Bool {
        last.allSatisfy { writer, number in
            writer == member || view.membership.others.contains(writer)
                || view.named(by: member, of: writer).contains { end in
                    end.number >= number && view.isKnown(end, of: writer)
                }
        }
    }
}
