import BrokerProtocol
import Coffer

/// Checks whether the authenticator answers and runs as root.
enum AuthenticatorCheck: DoctorCheck {
    private static let check = Keychain.Check.authenticator

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        switch facts.biometry {
        case .failure(let error): [DoctorFinding(check, error)]
        // The client checked that the authenticator can be trusted before asking it.
        case .success: [answering(facts)]
        }
    }

    /// The kernel gives the authenticator's user. Only the broker knows whether this is a sandbox.
    private static func answering(_ facts: DoctorFacts) -> DoctorFinding {
        let isSandbox = if case .success(let status) = facts.status { status.sandbox } else { false }
        var message = "the authenticator answers" + (isSandbox ? ", in a sandbox" : "")
        guard facts.authenticatorUser == 0 else {
            message +=
                ", but runs as \(facts.authenticatorUser.map { "uid \($0)" } ?? "an unknown user") and not as root"
            return DoctorFinding(
                check: check, verdict: isSandbox ? .ok : .note, message: message,
                advice: isSandbox
                    ? nil
                    : "check COFFER_SOCKET and COFFER_AUTH_SOCKET: only a sandbox's authenticator may run as another user"
            )
        }
        return DoctorFinding(check: check, verdict: .ok, message: message + (isSandbox ? "" : ", and runs as root"))
    }
}

/// Checks whether a finger can be asked for here. If not, that is no fault of the machine.
enum BiometryCheck: DoctorCheck {
    private static let check = Keychain.Check.biometrics

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        // Nobody sits at a service.
        guard facts.vault?.user == nil, case .success(let biometry) = facts.biometry else { return [] }
        if biometry.usable {
            let type = VisibleText.line(biometry.type)
            return [DoctorFinding(check: check, verdict: .ok, message: "biometrics can be used: \(type)")]
        }
        let reason = VisibleText.sentence(biometry.reason ?? "no reason is known")
        return [
            DoctorFinding(
                check: check, verdict: .note, message: "biometrics cannot be used here; \(reason)",
                advice: biometry.advice.map(VisibleText.sentence))
        ]
    }
}

/// Finds items that are bound to fingers other than the enrolled ones. Nobody can read those by finger. They are named so that they can be set again.
/// If the enrolled fingers are not known, nothing is called lost.
enum FingersCheck: DoctorCheck {
    private static let check = Keychain.Check.fingers

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        guard facts.vault?.user == nil, case .success(let biometry) = facts.biometry,
            case .success(let items) = facts.items
        else { return [] }
        let bound = items.filter { $0.biometrySet != nil }
        if !bound.isEmpty, biometry.currentSet == nil { return [unknown(bound)] }
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
            let isLeft = item.access.anyIsEnough
            return DoctorFinding(
                check: check, verdict: .problem,
                message: "\(item.shownName): the enrolled fingers changed since it was set"
                    + (isLeft ? ", so a finger no longer opens it" : ", so nobody can read it"),
                advice: "if you changed no finger, have root first restore the folder of fprintd (/var/lib/fprint); "
                    + "otherwise set it again with: "
                    + VisibleText.sentence(ShellText.command("set", item.service, item.account, [])))
        }
    }

    /// The stored fingers are not there or are not trusted. They may come back as they were, and the items with them.
    private static func unknown(_ bound: [ItemAttributes]) -> DoctorFinding {
        let names = bound.prefix(4).map(\.shownName).joined(separator: ", ")
        let more = bound.count > 4 ? " and \(bound.count - 4) more" : ""
        return DoctorFinding(
            check: check, verdict: .note,
            message: "your enrolled fingers are not known, so it is not known whether they open \(names)\(more)",
            advice:
                "set none of these again before root has seen that the folder of fprintd (/var/lib/fprint) is there, "
                + "and that only root can write in it")
    }
}
