import BrokerProtocol
import Varlink
import Vault

/// `Delete`: removes an item. This needs no person.
enum DeleteHandler: MethodHandler {
    static func answer(_ method: Keychain.Delete, _ request: Request) async throws(Fault) -> MethodAnswer {
        let program = request.program()
        let revision = try WireRevision.decode(method.ifRevision)
        guard method.inBin != true || (method.bin != true && revision == nil) else {
            throw Fault(.invalidArgument, "a call for items in the bin takes neither ifRevision nor bin")
        }
        let kind = method.kind ?? .genericPassword
        let protection = DeletionProtection(method.rollback)
        let deleted = try await request.vaultActor.change { state -> Deletion in
            if method.inBin ?? false {
                let items = try state.vault.deleteFromBin(
                    service: method.service, account: method.account, kind: kind, protection: protection)
                state.note(
                    items.map { AccessRecord(.delete, by: program, of: .init($0), detail: BinDetail.outOf) })
                guard let last = items.first else { throw Faults.notFound }
                return Deletion(item: last, until: nil)
            }
            let deletion =
                if method.bin ?? false {
                    try state.vault.putAside(
                        service: method.service, account: method.account, kind: kind, ifRevision: revision,
                        protection: protection)
                } else {
                    Deletion(
                        item: try state.vault.delete(
                            service: method.service, account: method.account, kind: kind, ifRevision: revision,
                            protection: protection), until: nil)
                }
            state.note(
                AccessRecord(
                    .delete, by: program, of: .init(deletion.item), detail: deletion.until.map { _ in BinDetail.into }))
            return deletion
        }
        return .reply(
            Keychain.Delete.Reply(
                item: Keychain.Item(deleted.value.item), until: deleted.value.until.map { Int64(clamping: $0) },
                protected: deleted.protected))
    }
}

/// The access log's words for what the bin has to do with a deletion. Without them, an item was deleted for good.
enum BinDetail {
    static let into = "into the bin"
    static let outOf = "out of the bin"
    /// Of an item that was put back.
    static let back = "back from the bin"
}

extension DeletionProtection {
    init(_ wire: Keychain.RollbackTime?) { self = wire == .later ? .later : .soon }
}

extension Keychain.ChangedItemReply {
    init(_ changed: VaultActor.Outcome<ItemSummary>) {
        self.init(item: Keychain.Item(changed.value), protected: changed.protected)
    }
}

extension VaultActor.Outcome {
    /// As messages have it.
    var protected: Bool? { isUncounted ? false : nil }
}
