import Authorization
import BrokerProtocol
import Varlink
import Vault

/// Which vault can be tied to the boot. It must be one person's own, who can approve an update. A TPM must know how
/// the machine was started.
enum BootPrecondition {
    /// Only the vault's owner may do this.
    static func check(_ request: Request) throws(Fault) {
        guard request.admission.standing == .own else {
            throw Fault(.notPermitted, "only a vault's owner can tie it to the boot, and only their own vault")
        }
    }

    static func check(_ record: RegistryRecord) throws(Fault) {
        guard !record.isService else {
            throw Fault(
                .invalidArgument,
                "a service vault cannot be tied to the boot: nobody could be asked to approve an update")
        }
        guard record.sealer == .tpm else {
            throw Fault(
                .invalidArgument,
                "a vault that is sealed by software cannot be tied to the boot: only a TPM knows how the machine was started"
            )
        }
    }

    /// - Parameter challenge: the challenge that released the roots.
    static func check(_ record: RegistryRecord, for challenge: Challenge) throws(Fault) {
        try check(record)
        let isTying = challenge.request.kind == .tieToBoot
        guard record.vault == challenge.vault, (record.boot == nil) == isTying else {
            throw Faults.challengeRefused
        }
    }

    /// What a tie protects here. Without named registers, the ones that protect most are used.
    static func coverage(of named: [Int64]?, _ request: Request) async throws(Fault) -> Keychain.BootCoverage {
        let registers = try named.map { (named) throws(Fault) in try Self.registers(named) }
        let view: BootView
        do throws(SealerError) { view = try await BootView.take(request) } catch { throw Fault(error) }
        return view.coverage(of: registers ?? view.registers)
    }

    /// A person at the boot menu who can write another command line can start anything. A tie that allows this keeps
    /// nobody out.
    static func check(_ coverage: Keychain.BootCoverage, isWeakMeant: Bool) throws(Fault) {
        guard coverage.commandLine != .held, !isWeakMeant else { return }
        let words = coverage.registers.map(String.init).joined(separator: ", ")
        let what =
            switch coverage.commandLine {
            case .held, .open:
                "nothing in registers \(words) holds the kernel's command line: anybody who edits it at the boot menu could open your vault"
            case .unknown:
                "it is not known whether registers \(words) hold the kernel's command line: \(coverage.reason ?? "")"
            }
        throw Fault(.failed, what, advice: "to tie the vault all the same, add: --weak")
    }

    /// The registers that a vault is to be tied to, checked and sorted.
    static func registers(_ named: [Int64]) throws(Fault) -> [Int] {
        let registers = named.map { Int(clamping: $0) }
        guard BootPin.areSelectable(registers) else {
            throw Fault(
                .invalidArgument,
                "name registers from 0 to 22, each once, and not 16, which any program can reset"
            )
        }
        return registers.sorted()
    }
}
