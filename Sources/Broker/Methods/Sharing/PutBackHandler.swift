import Authorization
import BrokerProtocol
import Circle
import Platform
import Varlink

/// `PutBack`: what the store has lost of another machine.
enum PutBackHandler: SharingHandler {
    typealias Method = Sync.PutBack

    static func reply(to method: Sync.PutBack, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        guard let device = Hex.decode(method.device).flatMap(WriterID.init) else {
            throw Fault(
                .invalidArgument, "that is not the id of a machine", advice: "see them with: coffer sync status")
        }
        let names = Set(SharingWire.paths(method.names))
        let sizes = SharingWire.sizes(method.sizes, of: method.names)
        let (files, hasMore) = try await request.vaultActor.use {
            try $0.vault.lostFiles(
                of: device, lacking: names, sizes: sizes, hasHead: method.head, room: SharingCallLimits.answer,
                $0.keys)
        }
        return .reply(
            Sync.PutBack.Reply(
                files: files.map { Sync.File(path: $0.path.text, content: Base64.encode($0.content)) }, more: hasMore))
    }
}
