import BrokerProtocol

/// What a vault is tied to, in lines that a person reads.
enum BootText {
    static func lines(_ boot: Keychain.BootState?) -> [String] {
        guard let boot else { return ["Tied to the boot: no; tie it with: coffer boot bind"] }
        var lines = ["Tied to the boot: yes, by registers \(registers(boot.registers))"]
        guard boot.isApproved else {
            return lines + ["This boot: not approved, so the vault will not open again under it"]
        }
        lines.append("This boot: approved\(time(of: boot.approved.first { $0.digest == boot.now }))")
        for other in boot.approved where other.digest != boot.now {
            lines.append("Approved besides: \(other.digest.prefix(16))\(time(of: other))")
        }
        if boot.approved.count > 1 {
            lines.append("When the machine runs with the update, leave that alone with: coffer boot settle")
        }
        return lines
    }

    static func registers(_ registers: [Int64]) -> String { registers.map(String.init).joined(separator: ", ") }

    private static func time(of boot: Keychain.ApprovedBoot?) -> String {
        boot.flatMap { $0.approved > 0 ? ", on \(TimeText($0.approved).day)" : nil } ?? ""
    }
}

/// The same as `--json` gives it.
struct BootRecord: Encodable {
    private let tied: Bool
    private let registers: [Int64]?
    private let approved: [Approved]?
    private let now: String?
    private let isApproved: Bool?

    private struct Approved: Encodable {
        let digest: String
        /// Absent where the list that named it is gone.
        let approved: String?
    }

    init(_ boot: Keychain.BootState?) {
        tied = boot != nil
        registers = boot?.registers
        approved = boot?.approved.map {
            Approved(digest: $0.digest, approved: $0.approved > 0 ? TimeText($0.approved).iso8601 : nil)
        }
        now = boot?.now
        isApproved = boot?.isApproved
    }
}
