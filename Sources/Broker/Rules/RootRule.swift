import BrokerProtocol
import Varlink

/// Root uses the vault of an account for which nobody can be prompted. Root may not read an item that requires a
/// person or a password.
enum RootRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        guard facts.standing == .root, !facts.item.access.requirements.isEmpty else { return .pass }
        return .refuse(
            Fault(.notPermitted, "this item requires more than an open vault, so root may not read it for its owner"))
    }
}
