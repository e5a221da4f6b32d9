import BrokerProtocol
import Coffer

/// Items that one question releases, to the same machines.
struct ReleaseBatch {
    /// What one prompt can allow, and how many machines it can show.
    private static let (most, machines) = (32, 16)

    private(set) var items: [Sync.Released]
    let devices: [String]
    private var signatures: Int64

    /// - Parameter chosen: the machines that are wanted; nil for all.
    /// - Returns: none for items that no wanted machine lacks.
    static func all(of items: [Sync.Releasable], to chosen: Set<String>?) -> [ReleaseBatch] {
        var batches: [ReleaseBatch] = []
        for item in items {
            var left = item.machines.filter { chosen?.contains($0) ?? true }[...]
            while !left.isEmpty {
                batches.add(item, for: Array(left.prefix(machines)))
                left = left.dropFirst(machines)
            }
        }
        return batches
    }

    fileprivate mutating func add(_ item: Sync.Releasable) -> Bool {
        guard items.count < Self.most, signatures + item.signatures <= Int64(Self.most) else { return false }
        items.append(Sync.Released(service: item.service, account: item.account, kind: item.kind))
        signatures += item.signatures
        return true
    }

    fileprivate init(for devices: [String]) { (items, self.devices, signatures) = ([], devices, 0) }
}

extension [ReleaseBatch] {
    fileprivate mutating func add(_ item: Sync.Releasable, for devices: [String]) {
        for place in indices where self[place].devices == devices && self[place].add(item) { return }
        var batch = ReleaseBatch(for: devices)
        _ = batch.add(item)
        append(batch)
    }
}
