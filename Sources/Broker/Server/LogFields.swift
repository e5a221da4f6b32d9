import BrokerProtocol
import Logging
import Platform
import Varlink

/// The only things that are ever logged about a call: who, which method, what came of it. Never a name, a value, an attribute or a challenge; and a method only
/// where it is one of ours, because the caller may write there what it likes.
enum LogFields {
    static func of(_ caller: Caller, method: String? = nil, outcome: Fault.Name? = nil) -> Logger.Metadata {
        var fields: Logger.Metadata = ["uid": "\(caller.uid)", "pid": "\(caller.process.pid)"]
        if let method { fields["method"] = "\(method)" }
        if let outcome { fields["outcome"] = "\(outcome.rawValue)" }
        return fields
    }
}
