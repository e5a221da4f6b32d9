import BrokerProtocol
import Varlink

/// `Look`: which files of the store hold something new.
enum LookHandler: SharingHandler {
    typealias Method = Sync.Look

    static func reply(to method: Sync.Look, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let (heads, names) = (try SharingWire.bytes(method.heads), SharingWire.paths(method.names))
        let wanted = try await request.vaultActor.use { try $0.vault.wanted(names, heads: heads, $0.keys) }
        return .reply(Sync.Look.Reply(wanted: wanted.map(\.text)))
    }
}
