import BrokerProtocol
import Coffer

/// What `coffer` alone says: how things stand, and the command that comes next. It asks the broker for its state and nothing else.
enum NextStep {
    /// - Parameter runsUnits: whether systemd runs this machine, and so can start the broker.
    static func lines(_ status: Result<Keychain.Status.Reply, KeychainError>, runsUnits: Bool) -> [String] {
        switch status {
        case .failure(let error): without(error, runsUnits: runsUnits) + help
        case .success(let status): with(status) + help
        }
    }

    private static let help = [
        "",
        "If something is wrong:  coffer doctor",
        "All commands:           coffer help",
    ]

    private static func without(_ error: KeychainError, runsUnits: Bool) -> [String] {
        var lines = [VisibleText.sentence(error.message)]
        guard error.code == .brokerUnreachable else {
            if !error.advice.isEmpty { lines.append(VisibleText.sentence(error.advice)) }
            return lines
        }
        return lines
            + (runsUnits
                ? [
                    "", "Start the broker, as root:",
                    "  systemctl enable --now cofferd.socket coffer-authenticator.socket",
                    "Then see why it fails, if it does:",
                    "  journalctl --unit cofferd --unit coffer-authenticator",
                ]
                : [
                    "", "systemd does not run here, so nothing starts the broker by itself.",
                    "In a container, hand secrets in, as its standard input. Where the broker runs:",
                    "  coffer run --file KEY=coffer://ci/token -- sh -c 'podman run -i IMAGE <\"$KEY\"'",
                    "To try Coffer, start a sandbox:  scripts/sandbox start DIR",
                ])
    }

    private static func with(_ status: Keychain.Status.Reply) -> [String] {
        let warnings =
            status.sandbox
            ? ["This is a sandbox, for trials and tests. It protects nothing."]
            : status.warnings.map { "Warning: \(VisibleText.sentence($0))" }
        return (warnings.isEmpty ? [] : warnings + [""]) + state(status)
    }

    private static func state(_ status: Keychain.Status.Reply) -> [String] {
        switch status.vault.state {
        case .none:
            [
                "You have no vault yet. Your first secret makes one, and asks for your password:",
                "  coffer set github me",
                "Then make a recovery code, and write it down:",
                "  coffer recovery new",
            ]
        case .sealed where status.vault.service == true, .locked where status.vault.service == true:
            [
                "The vault of this service is locked, and only root opens it.",
                "Names can be listed while it is locked:",
                "  coffer list",
            ]
        case .sealed, .locked:
            [
                "Your vault is locked. Open it:",
                "  coffer unlock",
                "Names can be listed while it is locked:",
                "  coffer list",
            ]
        case .unlocked: unlocked(status)
        }
    }

    private static func unlocked(_ status: Keychain.Status.Reply) -> [String] {
        guard let items = status.vault.items, items > 0 else {
            return ["Your vault is open, and empty. Store a secret:", "  coffer set github me"]
        }
        let count = items == 1 ? "1 item" : "\(items) items"
        var lines = [
            "Your vault is open, with \(count). List them, and read one:", "  coffer list",
            "  coffer get SERVICE ACCOUNT",
        ]
        if let recovery = status.recovery, recovery.made == nil {
            lines += [
                "You have no recovery code. Without one, your secrets are lost with this machine or its TPM:",
                "  coffer recovery new",
            ]
        }
        return lines
    }
}
