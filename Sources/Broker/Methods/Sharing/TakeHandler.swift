import Authorization
import BrokerProtocol
import Item
import Platform
import Varlink
import Vault

/// `Take`: takes in what others gave out, and finds what was changed here.
enum TakeHandler: SharingHandler {
    typealias Method = Sync.Take

    static func reply(to method: Sync.Take, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let (heads, segments) = (try SharingWire.bytes(method.heads), try SharingWire.bytes(method.segments))
        let taken = try await request.vaultActor.use {
            try $0.vault.takeIn(heads: heads, segments: segments, $0.keys)
        }
        if taken.added + taken.updated + taken.deleted > 0 {
            await request.vaultActor.note(
                AccessRecord(
                    .share, by: request.program(),
                    detail: "\(taken.added) new, \(taken.updated) changed, \(taken.deleted) deleted by other machines"))
        }
        return .reply(
            Sync.Take.Reply(
                added: Int64(taken.added), updated: Int64(taken.updated), deleted: Int64(taken.deleted),
                waiting: Int64(taken.waiting),
                obstacles: taken.obstacles.sorted { $0.key < $1.key }.map {
                    Sync.Obstacle(
                        reason: $0.key, items: Int64($0.value), named: taken.named[$0.key]?.map(Sync.Unshared.init))
                }, conflicts: Int64(taken.conflicts ?? 0),
                held: taken.held.sorted { $0.key < $1.key }.map {
                    Sync.Held(
                        device: Hex.encode($0.key.bytes), segments: Int64($0.value.count), bytes: Int64($0.value.bytes))
                }, unfit: taken.unfit.isEmpty ? nil : taken.unfit.map { Int64($0) }))
    }
}

extension Sync.Unshared {
    init(_ name: ItemName) {
        self.init(service: name.service, account: name.account, kind: name.itemClass.wireName)
    }
}
