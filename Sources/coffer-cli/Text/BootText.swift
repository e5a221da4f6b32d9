import BrokerProtocol
import Coffer
import Platform

/// A vault's tie to the boot, in lines for a person.
enum BootText {
    static func lines(_ boot: Keychain.BootState?) -> [String] {
        guard let boot else { return ["Tied to the boot: no; tie it with: coffer boot bind"] }
        var lines = ["Tied to the boot: yes, by registers \(registers(boot.registers))"]
        guard boot.isApproved else {
            return lines + ["This boot: not approved; once closed, the vault will not open again under this boot"]
        }
        lines.append("This boot: approved\(time(of: boot.approved.first { $0.digest == boot.now }))")
        for other in boot.approved where other.digest != boot.now {
            lines.append("Also approved: \(other.digest.prefix(16))\(time(of: other))")
        }
        if boot.approved.count > 1 {
            lines.append("When the machine runs with the update, keep only that boot with: coffer boot prune")
        }
        return lines
    }

    /// The parts of a boot that a tie covers, and those that it leaves open.
    static func lines(_ coverage: Keychain.BootCoverage, _ root: RootFileSystem) -> [String] {
        var lines = [
            "kernel's command line: \(word(coverage.commandLine, "anybody who edits it at the boot menu can open the vault"))",
            "initrd: \(word(coverage.initrd, "anybody who changes that file can open the vault"))",
        ]
        switch root.isProtected {
        case true?: lines.append("root file system: encrypted or verified")
        case false?:
            lines.append(
                "root file system: open; without LUKS or dm-verity, anybody who has the disk can change programs")
        case nil: lines.append("root file system: not known")
        }
        if let reason = coverage.reason { lines.append("not known, because \(VisibleText.line(reason))") }
        if coverage.changesWithMenu {
            lines.append(
                "GRUB measures its menu too; before a new kernel or menu, run coffer boot release, and after it coffer boot bind"
            )
        }
        return lines
    }

    /// One line for `coffer status`; nil if the tie covers the command line.
    static func problem(_ coverage: Keychain.BootCoverage) -> String? {
        switch coverage.commandLine {
        case .held: nil
        case .open:
            "the tie to the boot leaves the kernel's command line open; fix it with: coffer boot release, then coffer boot bind"
        case .unknown: "it is not known whether the tie to the boot holds the kernel's command line; see: coffer doctor"
        }
    }

    private static func word(_ part: Keychain.BootCoverage.Part, _ danger: String) -> String {
        switch part {
        case .held: "held"
        case .open: "open; \(danger)"
        case .unknown: "not known"
        }
    }

    static func registers(_ registers: [Int64]) -> String { registers.map(String.init).joined(separator: ", ") }

    private static func time(of boot: Keychain.ApprovedBoot?) -> String {
        boot.flatMap { $0.approved > 0 ? ", on \(TimeText($0.approved).day)" : nil } ?? ""
    }
}

/// The tie to the boot as `--json` gives it.
struct BootRecord: Encodable {
    private let tied: Bool
    private let registers: [Int64]?
    private let approved: [Approved]?
    private let now: String?
    private let isApproved: Bool?
    private let commandLine: Keychain.BootCoverage.Part?
    private let initrd: Keychain.BootCoverage.Part?

    private struct Approved: Encodable {
        let digest: String
        /// Absent if the list that held the time is gone.
        let approved: String?
    }

    init(_ boot: Keychain.BootState?, _ coverage: Keychain.BootCoverage?) {
        commandLine = coverage?.commandLine
        initrd = coverage?.initrd
        tied = boot != nil
        registers = boot?.registers
        approved = boot?.approved.map {
            Approved(digest: $0.digest, approved: $0.approved > 0 ? TimeText($0.approved).iso8601 : nil)
        }
        now = boot?.now
        isApproved = boot?.isApproved
    }
}
