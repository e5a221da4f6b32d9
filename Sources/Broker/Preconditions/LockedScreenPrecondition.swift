import BrokerProtocol
import Varlink

/// If the owner locked a screen, a login elsewhere must not open the vault.
enum LockedScreenPrecondition {
    static func check(_ screen: LockedScreens.Answer) throws(Fault) {
        switch screen {
        case .open: return
        case .locked:
            throw Fault(
                .notPermitted, "a graphical session of this user is locked", advice: "unlock it, or run: coffer unlock")
        case .unknown:
            throw Fault(
                .notPermitted, "logind cannot be asked whether a session of this user is locked",
                advice: "run: coffer unlock")
        }
    }
}
