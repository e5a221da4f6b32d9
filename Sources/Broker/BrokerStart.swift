import Authorization
import Platform
import RootConfiguration

/// Why the broker does not start.
public struct BrokerStartError: Error, Sendable, CustomStringConvertible {
    public let reason: String
    /// What to do about it, for people; empty if there is nothing to do.
    public let advice: String

    init(reason: String, advice: String = "") {
        self.reason = reason
        self.advice = advice
    }

    public var description: String { reason + (advice.isEmpty ? "" : "; \(advice)") }
}

/// Checks what must hold before the broker starts, and warns people about weaker guarantees.
public enum BrokerStart {
    static func authenticatorUID(_ configuration: Configuration) throws(BrokerStartError) -> UInt32 {
        do throws(SystemError) {
            guard let account = try Account.named(configuration.authenticatorUser) else {
                throw SystemError(
                    "find the authenticator's account", reason: "there is no “\(configuration.authenticatorUser)”")
            }
            return account.uid
        } catch {
            throw BrokerStartError(reason: error.message, advice: "set “authenticator-user” in the configuration")
        }
    }

    /// The broker must not run as root, because it would then be what it is meant to protect from.
    public static func checkUser(_ configuration: Configuration) throws(BrokerStartError) {
        guard OwnProcess.effectiveUser == 0, !configuration.sandbox else { return }
        throw BrokerStartError(
            reason: "the broker must not run as root",
            advice:
                "start it as “\(configuration.brokerUser)”, or set “sandbox = yes” to try it out without any guarantee")
    }

    static func warnings(_ configuration: Configuration, sealer: SealerKind) -> [String] {
        var warnings: [String] = []
        if configuration.sandbox { warnings.append("This is a sandbox: it protects nothing.") }
        if OwnProcess.effectiveUser == 0 {
            warnings.append("The broker runs as root: authenticator and broker are not separated.")
        }
        if sealer == .software {
            warnings.append(
                "Keys are sealed by software: anyone who can read the broker's folder can open every vault.")
        }
        return warnings
    }
}
