import BrokerProtocol
import Coffer

/// Checks whether a finger can be asked for here. If not, that is no fault of the machine.
enum BiometryCheck: DoctorCheck {
    private static let check = Keychain.Check.biometrics

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        guard case .success(let biometry) = facts.biometry else { return [] }
        if biometry.usable {
            let type = VisibleText.line(biometry.type)
            return [DoctorFinding(check: check, verdict: .ok, message: "biometrics can be used: \(type)")]
        }
        let reason = biometry.reason.map { VisibleText.sentence(KeychainError.clause($0)) } ?? "no reason is known"
        return [DoctorFinding(check: check, verdict: .note, message: "biometrics cannot be used here; \(reason)")]
    }
}
