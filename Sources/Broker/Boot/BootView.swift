import Authorization
import BrokerProtocol
import TPM
import Vault

/// Which registers measure the kernel's command line and initrd in this boot.
struct BootView {
    /// The registers that hold the command line and the initrd, or the reason why they are not known.
    private let chain: Result<BootChain, FirmwareLogError>

    init(_ chain: Result<BootChain, FirmwareLogError>) { self.chain = chain }

    /// Reads the firmware's log and the registers that must confirm it. That asks nobody, so it takes the caller's share
    /// of the TPM.
    static func take(_ request: Request) async throws(SealerError) -> BootView {
        let log: MeasurementLog
        switch FirmwareLog(request.core.configuration).read() {
        case .success(let read): log = read
        case .failure(let error): return BootView(.failure(error))
        }
        let values = try await request.sealer.measurements(of: BootChain.witnesses)
        do throws(TPMError) { return BootView(.success(try BootChain(log, values: values))) } catch {
            return BootView(.failure(FirmwareLogError(reason: error.reason)))
        }
    }

    /// The registers that a vault is tied to on this machine.
    var registers: [Int] {
        let found = (try? chain.get())?.registers ?? []  // Without a log, only the standard registers.
        return found.union(BootPin.standardRegisters).sorted()
    }

    /// What a tie to these registers protects.
    func coverage(of registers: [Int]) -> Keychain.BootCoverage {
        let tied = Set(registers)
        func coverage(
            _ commandLine: Keychain.BootCoverage.Part, _ initrd: Keychain.BootCoverage.Part, menu: Bool = false,
            _ reason: String? = nil
        ) -> Keychain.BootCoverage {
            Keychain.BootCoverage(
                registers: registers.map { Int64($0) }, commandLine: commandLine, initrd: initrd,
                changesWithMenu: menu, reason: reason)
        }
        // Nothing is held unless the tie covers register 4 (the boot loader) and a register that the boot loader
        // measures into.
        guard tied.contains(4), !tied.isDisjoint(with: [8, 9, 12]) else { return coverage(.open, .open) }
        switch chain {
        case .failure(let error): return coverage(.unknown, .unknown, error.reason)
        case .success(let chain):
            let unexplained = chain.unexplained.intersection(tied.union([11])).sorted()
            func part(_ path: KeyPath<BootChain, [Set<Int>]>) -> Keychain.BootCoverage.Part {
                chain.holds(path, tied) ? .held : unexplained.isEmpty ? .open : .unknown
            }
            let (commandLine, initrd) = (part(\.commandLine), part(\.initrd))
            let words = unexplained.map(String.init).joined(separator: ", ")
            let isKnown = ![commandLine, initrd].contains(.unknown)
            return coverage(
                commandLine, initrd, menu: chain.hasGRUB && tied.contains(8),
                isKnown ? nil : "the firmware's log does not match what the TPM holds in register \(words)")
        }
    }
}
