import BrokerProtocol
import Varlink

/// One method of `org.coffer.Keychain`.
protocol MethodHandler: SendableMetatype {
    associatedtype Method: VarlinkMethod

    static func answer(_ method: Method, _ request: Request) async throws(Fault) -> MethodAnswer

    /// How a refusal of the call is logged; nil if it is not logged.
    static func logged(_ method: Method) -> LoggedCall?
}

extension MethodHandler {
    static func logged(_ method: Method) -> LoggedCall? { nil }
}
