import Authorization
import BrokerProtocol
import Item
import Varlink
import Vault

/// `Exposed`: the items that a machine could read. Nobody is asked, and no value is given out.
enum ExposedHandler: SharingHandler {
    typealias Method = Sync.Exposed

    static func reply(to method: Sync.Exposed, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        guard let device = try SharingWire.devices([method.device]).first, let place = Hex.decode(method.after ?? "")
        else {
            throw Fault(.invalidArgument, "a list of what a machine could read goes on where another one has ended")
        }
        let (items, next) = try await request.vaultActor.use {
            try $0.vault.exposure(to: device, after: place, $0.keys)
        }
        return .reply(Sync.Exposed.Reply(items: items.map(Sync.Exposure.init), next: next.map(Hex.encode)))
    }
}

extension Sync.Exposure {
    fileprivate init(_ exposure: ItemExposure) {
        let name = exposure.name
        self.init(
            service: name.service, account: name.account,
            kind: name.itemClass.wireName,
            fields: exposure.fields.map(\.text), asks: exposure.asks)
    }
}
