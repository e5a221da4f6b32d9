import BrokerProtocol
import Coffer

/// Finds items that are bound to fingers other than the enrolled ones. Nobody can read those by finger. They are named so that they can be set again.
enum FingersCheck: DoctorCheck {
    private static let check = Keychain.Check.fingers

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        guard case .success(let biometry) = facts.biometry, case .success(let items) = facts.items else { return [] }
        let bound = items.filter { $0.biometrySet != nil }
        let lost = bound.filter { $0.biometrySet != biometry.currentSet }
        guard !lost.isEmpty else {
            if bound.isEmpty { return [] }
            let count = bound.count == 1 ? "1 item is" : "\(bound.count) items are"
            return [
                DoctorFinding(
                    check: check, verdict: .ok, message: "\(count) bound to the fingers that are enrolled now")
            ]
        }
        return lost.map { item in
            // The item may have another way of being read.
            let isLeft = item.access.any && item.access.require.count > 1
            return DoctorFinding(
                check: check, verdict: .problem,
                message: "\(item.shownName): the enrolled fingers changed since it was set"
                    + (isLeft ? ", so a finger no longer opens it" : ", so nobody can read it"),
                advice: "set it again with: "
                    + VisibleText.sentence(ShellText.command("set", item.service, item.account, [])))
        }
    }
}
