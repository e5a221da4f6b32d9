import BrokerProtocol
import Varlink

/// One method of `org.coffer.Keychain`.
protocol MethodHandler: SendableMetatype {
    associatedtype Method: VarlinkMethod

    static func answer(_ method: Method, _ request: Request) async throws(Fault) -> MethodAnswer

    /// How a refusal of the call is logged; nil for what is not.
    static func logged(_ method: Method) -> LoggedCall?
}

extension MethodHandler {
    static func logged(_ method: Method) -> LoggedCall? { nil }
}
