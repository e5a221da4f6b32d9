import BrokerProtocol
import Varlink

/// Root looks after the vault of an account that nobody can be asked for; what asks for somebody is not root's to read.
enum RootRule: ReadRule {
    static func verdict(on facts: ReadFacts) -> Verdict {
        guard facts.standing == .root, !facts.item.access.constraints.isEmpty else { return .pass }
        return .refuse(
            Fault(.notPermitted, "This item requires more than an open vault, so root may not read it for its owner."))
    }
}
