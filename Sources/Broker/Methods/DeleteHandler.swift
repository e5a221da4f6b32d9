import BrokerProtocol
import Varlink
import Vault

/// `Delete`: removes an item. This needs no person.
enum DeleteHandler: MethodHandler {
    static func answer(_ method: Keychain.Delete, _ request: Request) async throws(Fault) -> MethodAnswer {
        let program = request.program()
        let revision = try WireRevision.decode(method.ifRevision)
        let deleted = try await request.vaultActor.change { state in
            let item = try state.vault.delete(
                service: method.service, account: method.account, kind: method.kind ?? .genericPassword,
                ifRevision: revision, protection: DeletionProtection(method.rollback))
            state.note(AccessRecord(.delete, by: program, of: .init(item)))
            return item
        }
        return .reply(Keychain.ChangedItemReply(deleted))
    }
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
