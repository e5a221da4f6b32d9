import Authorization
import BrokerProtocol
import TPM
import Varlink
import Vault

/// Will the vault open after a change of firmware, boot loader or kernel?
enum MeasuredBootCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        guard facts.sealer != nil, let record = facts.record, !facts.isTorn else { return [] }
        guard let boot = record.boot, let standing = facts.boot else {
            return [
                Keychain.Finding(
                    .measuredBoot, .note,
                    "the vault is not tied to the boot: no update of firmware or kernel locks it, and a changed boot is not noticed"
                )
            ]
        }
        let words = "registers \(boot.registers.map(String.init).joined(separator: ", "))"
        switch standing {
        case .failure(let fault): return [failure(fault, words, facts)]
        case .success(let standing):
            guard standing.isApproved else {
                return [
                    Keychain.Finding(
                        .measuredBoot, .problem,
                        "the vault is tied to the boot (\(words)), and this boot is not approved: once closed, the vault will not open again under this boot",
                        advice: approveThere)
                ]
            }
            let present = Keychain.Finding(
                .measuredBoot, .ok, "the vault is tied to the boot (\(words)), and this boot is approved")
            return [present] + open(facts.bootCoverage) + several(standing) + [next(boot, standing, facts)]
        }
    }

    private static func failure(_ fault: Fault, _ words: String, _ facts: DiagnosisFacts) -> Keychain.Finding {
        let (what, advice) =
            switch fault.details.kind {
            case "boot": ("this boot was not approved", approveThere)
            case "boot-index":
                (
                    "the TPM's record of the approved boots is gone", SetAsideWords.recovery(facts)
                )
            default:
                (
                    "it is not known whether this boot is approved: \(fault.details.message ?? "the TPM did not say")",
                    fault.details.advice ?? "see: journalctl -u cofferd"
                )
            }
        return Keychain.Finding(
            .measuredBoot, .problem, "the vault is tied to the boot (\(words)), and \(what)", advice: advice)
    }

    private static let approveThere =
        "start the machine as before, and approve the change there: coffer boot approve"

    /// Whether the tie lets somebody at the boot menu change the kernel's command line.
    private static func open(_ coverage: Keychain.BootCoverage?) -> [Keychain.Finding] {
        switch coverage?.commandLine {
        case .held, nil: []
        case .open:
            [
                Keychain.Finding(
                    .measuredBoot, .problem,
                    "the tie leaves the kernel's command line open: anybody who edits it at the boot menu can open the vault",
                    advice: "coffer boot release, then coffer boot bind")
            ]
        case .unknown:
            [
                Keychain.Finding(
                    .measuredBoot, .note,
                    "it is not known whether the tie holds the kernel's command line: \(coverage?.reason ?? "")")
            ]
        }
    }

    private static func several(_ standing: BootStanding) -> [Keychain.Finding] {
        guard standing.inForce.count > 1 else { return [] }
        return [
            Keychain.Finding(
                .measuredBoot, .note,
                "\(standing.inForce.count) boots are approved; when the machine runs with the update, keep only that boot with: coffer boot prune"
            )
        ]
    }

    /// Predicts if the next boot will be approved.
    private static func next(_ boot: BootPin, _ standing: BootStanding, _ facts: DiagnosisFacts) -> Keychain.Finding {
        let log: MeasurementLog
        switch facts.firmwareLog {
        case .success(let read): log = read
        case .failure(let error): return unforeseen(error.reason)
        case nil: return unforeseen("the firmware's log was not read")
        }
        if let register = BootForecast.unexplained(log, standing.values) {
            return unforeseen("the firmware's log does not match what the TPM holds in register \(register)")
        }
        let files = BootFiles(log, registers: boot.registers, folders: facts.configuration.bootFolders)
        guard files.changed.isEmpty else { return changed(files.changed, log, boot, standing) }
        let seen = files.unchanged == 1 ? "1 file" : "\(files.unchanged) files"
        let rest = "Coffer cannot foresee a change of the firmware, of its settings or of the kernel to start"
        guard files.unseen.isEmpty else {
            return Keychain.Finding(
                .measuredBoot, .note,
                "nothing is known to have changed since this start (\(seen) checked); the broker cannot see "
                    + "\(names(files.unseen)); \(rest)")
        }
        return Keychain.Finding(
            .measuredBoot, .ok,
            "the firmware's log matches what the TPM holds, and the files in it have not changed since (\(seen)); \(rest)"
        )
    }

    private static func changed(
        _ files: [BootFiles.Changed], _ log: MeasurementLog, _ boot: BootPin, _ standing: BootStanding
    ) -> Keychain.Finding {
        let changes = Dictionary(files.map { ($0.old, $0.new) }) { $1 }
        let text = names(files.map(\.path))
        // `try?`: a boot that cannot be predicted cannot have been approved.
        let next = try? log.predicted(PCRSelection(Set(boot.registers)), replacing: changes).digest
        if let next, standing.inForce.contains(where: { $0.digest == next }) {
            return Keychain.Finding(
                .measuredBoot, .ok, "\(text) changed since this start, and a start with this change is approved")
        }
        let options = files.map { "--replace \(Hex.encode($0.old))=\(Hex.encode($0.new))" }.joined(separator: " ")
        return Keychain.Finding(
            .measuredBoot, .problem,
            "\(text) changed since this start: after a restart the vault will not open",
            advice: "before the restart: coffer boot approve \(options)")
    }

    private static func unforeseen(_ why: String) -> Keychain.Finding {
        Keychain.Finding(
            .measuredBoot, .note,
            "Coffer cannot tell whether the next start will be an approved one: \(why)")
    }

    private static func names(_ paths: [String]) -> String {
        paths.prefix(4).joined(separator: ", ") + (paths.count > 4 ? " and \(paths.count - 4) more" : "")
    }
}
