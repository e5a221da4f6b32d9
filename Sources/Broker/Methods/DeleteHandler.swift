import BrokerProtocol
import Varlink
import Vault

/// `Delete`: removes an item. This needs no person.
enum DeleteHandler: MethodHandler {
    static func answer(_ method: Keychain.Delete, _ request: Request) async throws(Fault) -> MethodAnswer {
        let program = request.program()
        let revision = try WireRevision.decode(method.ifRevision)
        let item = try await request.vaultActor.use { state in
            let item = try state.vault.delete(
                service: method.service, account: method.account, kind: WireKind.decode(method.kind),
                ifRevision: revision)
            state.note(AccessRecord(.delete, by: program, of: .init(item)))
            return item
        }
        return .reply(Keychain.ItemReply(item: Keychain.Item(item)))
    }
}
