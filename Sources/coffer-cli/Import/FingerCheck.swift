import BrokerProtocol
import Coffer

/// Whether an import can store items that require a finger. The authenticator is asked once, and only if an item
/// requires one.
struct FingerCheck {
    private let session: CommandSession
    private var wasAsked = false
    private var reason: String?

    init(_ session: CommandSession) { self.session = session }

    /// Why the broker would refuse an item, and its whole batch with it, as a clause; nil if it would not.
    mutating func obstacle(_ access: AccessControl) -> String? {
        // The broker looks for fingers also if another way is enough. It judges the vaults of others itself.
        guard !access.requirements.isDisjoint(with: [.biometryAny, .biometryCurrentSet]), session.vaultName == .own
        else { return nil }
        if !wasAsked {
            wasAsked = true
            reason = Self.reason(session)
        }
        return reason.map { "it requires biometry, and \($0)" }
    }

    private static func reason(_ session: CommandSession) -> String? {
        // `try?`: if the authenticator cannot answer now, storing the item asks it again or fails.
        guard let answer = (try? session.client.biometry())?.answer, !answer.usable,
            // An item can be stored in a session in which no finger can be asked for.
            answer.obstacle != BrokerProtocol.Authentication.FingerRefusal.unavailable.rawValue
        else { return nil }
        return answer.reason ?? "no finger can be asked for here"
    }
}
