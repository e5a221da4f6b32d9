import BrokerProtocol
import Platform
import Varlink

/// `Give`: gives out what was changed here, and returns the files that the store lacks.
enum GiveHandler: SharingHandler {
    typealias Method = Sync.Give

    static func reply(to method: Sync.Give, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let (heads, names) = (try SharingWire.bytes(method.heads), SharingWire.paths(method.names))
        let sizes = SharingWire.sizes(method.sizes, of: method.names)
        try await request.vaultActor.sharing.giveOut(in: request.vaultActor, heads: heads)
        let (files, hasMore) = try await request.vaultActor.use {
            try $0.vault.files(
                lacking: Set(names), sizes: sizes, heads: heads, room: SharingCallLimits.answer)
        }
        let ended =
            files.isEmpty
            ? try await request.vaultActor.use { try $0.vault.endedFiles(among: names, heads: heads, $0.keys) } : []
        return .reply(
            Sync.Give.Reply(
                files: files.map { Sync.File(path: $0.path.text, content: Base64.encode($0.content)) }, more: hasMore,
                ended: ended.isEmpty ? nil : ended.map(\.text)))
    }
}
