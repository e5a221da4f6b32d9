import BrokerProtocol
import Coffer
import Glibc
import Platform

/// The broker's state, in lines for a person.
enum StatusText {
    /// - Parameter coverage: what a tie to the boot covers; nil if there is no tie or this is not known.
    static func lines(
        _ status: Keychain.Status.Reply, _ coverage: Keychain.BootCoverage?, of options: VaultOptions
    ) -> [String] {
        var lines = ["Vault: \(vault(status.vault, options))"]
        if let items = status.vault.items { lines.append("Items: \(items)") }
        if status.vault.bound ?? false { lines.append("Bound: to your login password") }
        if let registers = status.vault.boot {
            lines.append("Tied to the boot: yes, by registers \(BootText.registers(registers)); see: coffer boot")
        }
        lines.append("Sealed by: \(sealer(status.sealer))")
        if let identity = identity(status) { lines.append("TPM known by: \(identity)") }
        if status.vault.state != .none { lines.append("Rollback protection: \(rollback(status))") }
        if status.vault.protected == false {
            lines.append(
                "Not yet protected: the last deletions and changes of access; the TPM counts them soon")
        }
        lines.append("Locks: \(locks(status.locks))")
        lines += status.leases.map(lease)
        if let recovery = status.recovery {
            let made = recovery.made.map { "made on \(TimeText($0).day)" }
            lines.append("Recovery code: \(made ?? "none, make one with: coffer recovery new")")
        }
        lines.append("Broker: cofferd \(VisibleText.line(status.version))")
        lines += status.warnings.map { "Warning: \(VisibleText.sentence($0))" }
        if let problem = coverage.flatMap(BootText.problem) { lines.append("Problem: \(problem)") }
        if status.sandbox, status.warnings.isEmpty {
            lines.append("Warning: this is a sandbox, for trials and tests; it protects nothing")
        }
        return lines
    }

    private static func vault(_ vault: Keychain.VaultState, _ options: VaultOptions) -> String {
        let since = vault.since.map { " since \(TimeText($0).clock())" } ?? ""
        let opening = opening(vault, options)
        return switch vault.state {
        case .none: "none yet; the first `coffer set` makes one"
        case .sealed: "sealed, not opened since the broker started; \(opening)"
        case .locked: "locked\(since); \(opening)"
        case .unlocked: "unlocked\(since)"
        }
    }

    /// What opens the vault. For the own account of a service, only root can.
    static func opening(_ vault: Keychain.VaultState, _ options: VaultOptions?) -> String {
        let words = options?.words ?? []
        guard vault.service == true, words.isEmpty else {
            return "open it with: \(ShellText.command(["coffer", "unlock"] + words))"
        }
        return "have root run: \(ShellText.command(["coffer", "unlock", "--user", ownName]))"
    }

    /// The caller's name. `try?`: if it cannot be looked up, the number serves.
    private static var ownName: String { (try? Account.withUID(getuid()))?.name ?? "\(getuid())" }

    /// Whether an older copy of the vault's file would be noticed.
    private static func rollback(_ status: Keychain.Status.Reply) -> String {
        guard let counter = status.vault.counter else {
            return "off; without a TPM, an older copy of the vault is not noticed"
        }
        return "on (TPM counter 0x\(String(counter, radix: 16)))"
    }

    private static func lease(_ lease: Keychain.LeaseState) -> String {
        let name = (lease.command ?? lease.program).map { VisibleText.quoted($0, likePath: true) } ?? "a program"
        let items = "\(lease.items.count) item\(lease.items.count == 1 ? "" : "s")"
        let end = "ends \(TimeText(lease.ends).relative())"
        return "Lease: \(name) (pid \(lease.pid)), \(items), \(end); end it with: coffer forget"
    }

    private static func locks(_ locks: [String]) -> String {
        locks.isEmpty ? "only by: coffer lock" : locks.map(VisibleText.line).joined(separator: ", ")
    }

    /// How the TPM is recognised. In any case the storage key is pinned when the vault is made.
    private static func identity(_ status: Keychain.Status.Reply) -> String? {
        guard status.sealer.kind == "tpm", status.vault.state != .none else { return nil }
        let pin = "the key pinned at first use"
        return switch status.sealer.identity {
        case "certified": "its maker's certificate (checked), and \(pin)"
        case "noCertificate": "\(pin); it has no certificate"
        case "issuerUnknown": "\(pin); its certificate is from a maker that root has not named"
        case "foreignCertificate": "\(pin); its certificate is for another key, see: coffer doctor"
        default: "\(pin); to check its certificate: coffer doctor"
        }
    }

    private static func sealer(_ sealer: Keychain.Sealer) -> String {
        let maker = [sealer.manufacturer, sealer.model].compactMap { $0 }.map(VisibleText.line).joined(separator: ", ")
        return switch sealer.kind {
        case "tpm": maker.isEmpty ? "TPM 2.0" : "TPM 2.0 (\(maker))"
        case "software": "software only, no TPM: anyone who has the disk has the secrets"
        case let other: VisibleText.line(other)
        }
    }
}

/// The broker's state as `--json` gives it.
struct StatusRecord: Encodable {
    private let vault: VaultRecord
    private let sealer: Keychain.Sealer
    private let version: String
    private let sandbox: Bool
    private let locks: Locks
    private let warnings: [String]
    private let recovery: Recovery?
    private let leases: [LeaseLine]

    private struct LeaseLine: Encodable {
        var id: Int64
        var pid: Int64
        var command: String?
        var program: String?
        var items: [Name]
        var granted: String
        var ends: String

        struct Name: Encodable {
            var service: String
            var account: String?
            var kind: ItemKind?
        }
    }

    /// The events that lock the vault.
    private struct Locks: Encodable {
        var screen: Bool
        var sleep: Bool
        /// Absent if the vault does not lock when it is idle.
        var idleMinutes: Int64?
    }

    private struct Recovery: Encodable {
        var made: String?
    }

    init(_ status: Keychain.Status.Reply, _ coverage: Keychain.BootCoverage?) {
        vault = VaultRecord(status.vault, coverage)
        sealer = status.sealer
        version = status.version
        sandbox = status.sandbox
        locks = Locks(
            screen: status.lockedBy.screen, sleep: status.lockedBy.sleep,
            idleMinutes: status.lockedBy.idleMinutes)
        warnings = status.warnings
        leases = status.leases.map { lease in
            LeaseLine(
                id: lease.id, pid: lease.pid, command: lease.command, program: lease.program,
                items: lease.items.map { .init(service: $0.service, account: $0.account, kind: $0.kind) },
                granted: TimeText(lease.granted).iso8601, ends: TimeText(lease.ends).iso8601)
        }
        recovery = status.recovery.map { Recovery(made: $0.made.map { TimeText($0).iso8601 }) }
    }
}

/// A vault's state as `--json` gives it.
struct VaultRecord: Encodable {
    private let state: String
    private let since: String?
    private let items: Int64?
    private let bound: Bool?
    private let counter: Int64?
    /// False while an older copy of the file could undo the last deletions. Otherwise absent.
    private let protected: Bool?
    private let boot: [Int64]?
    /// Whether the tie to the boot covers the kernel's command line.
    private let commandLine: Keychain.BootCoverage.Part?

    init(_ vault: Keychain.VaultState, _ coverage: Keychain.BootCoverage? = nil) {
        state = vault.state.rawValue
        since = vault.since.map { TimeText($0).iso8601 }
        items = vault.items
        bound = vault.bound
        counter = vault.counter
        protected = vault.protected
        boot = vault.boot
        commandLine = coverage?.commandLine
    }
}
