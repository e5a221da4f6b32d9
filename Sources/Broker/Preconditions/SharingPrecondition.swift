import BrokerProtocol
import Varlink

/// One person's own vault is shared with that person's other machines. A member of a group must not carry away its
/// secrets.
enum SharingPrecondition {
    static func check(_ request: Request) throws(Fault) {
        guard request.admission.standing == .own else {
            throw Fault(.notPermitted, "only a person's own vault can be shared with other machines")
        }
    }

    /// Reading what others gave out, and giving out, take the keys of an unlocked vault.
    static func checkUnlocked(_ request: Request) throws(Fault) {
        try check(request)
        guard request.condition == .unlocked else { throw Faults.locked }
    }

    /// The same for calls that begin to share. A vault that is not there is made first, unless the answer would be in vain.
    static func checkMade(_ request: Request) async throws(Fault) {
        try check(request)
        guard request.condition != .none else { throw try await request.creationRequired() }
        try checkUnlocked(request)
    }
}
