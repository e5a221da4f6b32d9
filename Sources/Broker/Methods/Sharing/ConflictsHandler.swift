import Authorization
import BrokerProtocol
import Circle
import Varlink
import Vault

/// `Conflicts`: what machines have changed at the same time, without the values. Nobody is asked.
enum ConflictsHandler: SharingHandler {
    typealias Method = Sync.Conflicts

    static func reply(to method: Sync.Conflicts, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let item = try method.item.map { (text) throws(Fault) in try SharingWire.item(text) }
        guard let place = Hex.decode(method.after ?? "") else {
            throw Fault(.invalidArgument, "a list of conflicts goes on where another one has ended")
        }
        let (conflicts, next) = try await request.vaultActor.use {
            try $0.vault.conflicts(of: item, after: place, $0.keys)
        }
        return .reply(Sync.Conflicts.Reply(conflicts: conflicts.map(Sync.Conflict.init), next: next.map(Hex.encode)))
    }
}

extension Sync.Conflict {
    init(_ conflict: PartConflict) {
        let (metadata, part) = (conflict.item.metadata, conflict.part.words)
        self.init(
            item: conflict.item.id.description, service: metadata.service, account: metadata.account,
            kind: metadata.kind, part: part.part, name: part.name,
            revisions: conflict.revisions.enumerated().map { Sync.Revision($1, shown: $0 == 0) },
            beyond: Int64(conflict.beyond))
    }
}

extension Sync.Revision {
    fileprivate init(_ revision: PartConflict.Revision, shown: Bool) {
        self.init(
            id: Hex.encode(revision.name.bytes), device: Hex.encode(revision.writer.bytes),
            machine: revision.machine?.text, time: Int64(clamping: revision.clock), shown: shown,
            unreadable: !revision.isReadable, same: revision.same.map { Hex.encode($0.bytes) })
        switch revision.content {
        case .text(let bytes): text = String(decoding: bytes, as: UTF8.self)
        case .name(let name): (text, account) = (name.service, name.account)
        case .expiry(let time): expires = Int64(clamping: time)
        // Nothing of a value is here.
        case .value, .access, .bin: break
        }
    }
}
