import Authorization
import BrokerProtocol
import Circle
import Item
import Platform
import Varlink
import Vault

/// `Resolve`: ends a conflict. Nobody is asked: it is a change like `Set`, gives no value out, and what reading the item
/// takes stays as it is.
enum ResolveHandler: SharingHandler {
    typealias Method = Sync.Resolve

    static func reply(to method: Sync.Resolve, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let part = try SharingWire.part(method.part, method.name)
        let resolution = Resolution(
            item: try SharingWire.item(method.item), part: part, taken: try SharingWire.revision(method.take),
            keepsOthers: method.both ?? false)
        let program = request.program()
        let fields = try await request.vaultActor.use { state in
            let (item, fields) = try state.vault.resolve(resolution, state.keys)
            let words =
                "decided: " + ([part.shown] + fields.map { VisibleText.quoted($0.text) }).joined(separator: ", ")
            state.note(AccessRecord(.share, by: program, of: .init(item), detail: words))
            return fields
        }
        return .reply(Sync.Resolve.Reply(fields: fields.map(\.text)))
    }

    static func logged(_ method: Sync.Resolve) -> LoggedCall? { LoggedCall(event: .share) }
}

extension SharedPart {
    /// The part in words, for the log.
    fileprivate var shown: String {
        let (part, name) = words
        return name.map { "\(part) \(VisibleText.quoted($0))" } ?? part
    }
}
