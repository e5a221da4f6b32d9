import BrokerProtocol
import Varlink
import Vault

/// `RestoreDeleted`: takes an item out of the bin. No value is read, and the item is guarded as it was. So this needs no
/// person.
enum RestoreDeletedHandler: MethodHandler {
    static func answer(_ method: Keychain.RestoreDeleted, _ request: Request) async throws(Fault) -> MethodAnswer {
        let program = request.program()
        let item = try await request.vaultActor.use { state in
            let item = try state.vault.putBack(
                service: method.service, account: method.account, kind: method.kind ?? .genericPassword)
            state.note(AccessRecord(.edit, by: program, of: .init(item), detail: BinDetail.back))
            return item
        }
        return .reply(Keychain.ItemReply(item: Keychain.Item(item)))
    }
}
