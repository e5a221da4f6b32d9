import Authorization
import BrokerProtocol
import Item
import Platform
import Varlink
import Vault

/// `Releasables`: the guarded items that other machines cannot read yet. Nobody is asked.
enum ReleasablesHandler: SharingHandler {
    typealias Method = Sync.Releasables

    static func reply(to method: Sync.Releasables, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let found = try await request.vaultActor.use { try $0.vault.unreleased($0.keys) }
        return .reply(
            Sync.Releasables.Reply(
                items: found.prefix(SharingCallLimits.releasables).map { one in
                    let metadata = one.item.metadata
                    return Sync.Releasable(
                        service: metadata.service, account: metadata.account,
                        kind: metadata.kind.wireName,
                        machines: one.machines.map { Hex.encode($0.bytes) }, signatures: Int64(one.signatures))
                }, more: found.count > SharingCallLimits.releasables))
    }
}
