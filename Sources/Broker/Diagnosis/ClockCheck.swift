import BrokerProtocol
import Platform

/// Is the clock plausible? Expiry dates and the order of the access log depend on it.
enum ClockCheck: DiagnosisCheck {
    /// 2026-01-01, in milliseconds since 1970-01-01 UTC. No vault is older than Coffer.
    private static let firstDay: UInt64 = 1_767_225_600_000

    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        var newest = facts.record?.created ?? 0
        if case .success(let checkup) = facts.vault { newest = max(newest, checkup.newest) }
        guard facts.now >= firstDay, facts.now &+ DiagnosisLimits.clock >= newest else {
            let seen = max(newest, firstDay)
            return [
                Keychain.Finding(
                    .clock, .problem,
                    "the clock says \(text(facts.now)), but the vault's last change was at \(text(seen))",
                    advice: "set the clock: timedatectl set-ntp true")
            ]
        }
        return [Keychain.Finding(.clock, .ok, "the clock is not behind the vault's last change")]
    }

    private static func text(_ milliseconds: UInt64) -> String {
        CivilCalendar.utc.fields(of: Int64(milliseconds / 1000))?.stampText ?? "\(milliseconds) ms after 1970"
    }
}
