import BrokerProtocol
import Varlink

/// A method of sharing. Services call these too, and what they are answered goes into the journal. So no answer of an
/// error names an item.
protocol SharingHandler: MethodHandler {
    static func reply(to method: Method, _ request: Request) async throws(Fault) -> MethodAnswer
}

extension SharingHandler {
    static func answer(_ method: Method, _ request: Request) async throws(Fault) -> MethodAnswer {
        do throws(Fault) { return try await reply(to: method, request) } catch { throw error.withoutItem }
    }
}

extension Fault {
    /// The same without the name of a damaged item.
    fileprivate var withoutItem: Fault {
        guard details.kind == Keychain.damagedItem else { return self }
        var fault = self
        fault.details.message = "an item is damaged"
        fault.details.advice = "see which one with: coffer doctor"
        return fault
    }
}
