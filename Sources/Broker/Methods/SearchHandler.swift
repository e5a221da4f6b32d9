import BrokerProtocol
import Item
import Varlink
import Vault

/// `Search`: finds items by attributes and by a piece of text.
enum SearchHandler: MethodHandler {
    static func answer(_ method: Keychain.Search, _ request: Request) async throws(Fault) -> MethodAnswer {
        let attributes = method.attributes ?? [:]
        guard attributes.count <= ItemLimits.attributes else {
            throw Fault(
                .limitExceeded, "an item has \(ItemLimits.attributes) attributes at most", advice: "search by fewer")
        }
        // No text of an item is longer.
        guard method.text?.utf8.count ?? 0 <= ItemLimits.comment else {
            throw Fault(
                .limitExceeded, "a text to look for has \(ItemLimits.comment) bytes at most",
                advice: "look for a part of it")
        }
        guard request.condition != .none else { return .items([]) }
        return .items(
            try await request.vaultActor.use {
                try $0.vault.search(text: method.text, attributes: attributes, kind: method.kind)
            })
    }
}
