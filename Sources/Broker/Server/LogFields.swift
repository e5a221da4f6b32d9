import BrokerProtocol
import Logging
import Platform
import Varlink

/// The only facts that are logged about a call: the caller, the method and the outcome. Names, values, attributes and
/// challenges are never logged. A method is logged only if Coffer serves it, because callers choose that text.
enum LogFields {
    static func of(_ caller: Caller, method: String? = nil, outcome: Fault.Name? = nil) -> Logger.Metadata {
        var fields: Logger.Metadata = ["uid": "\(caller.uid)", "pid": "\(caller.process.pid)"]
        let isServed = outcome != .methodNotFound && outcome != .interfaceNotFound
        if let method { fields["method"] = isServed ? "\(method)" : "unknown" }
        if let outcome { fields["outcome"] = "\(outcome.rawValue)" }
        return fields
    }
}
