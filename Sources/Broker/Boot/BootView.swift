import Authorization
import BrokerProtocol
import TPM
import Vault

/// What the boot that the machine was started with is measured by.
struct BootView {
    /// What holds command line and initrd; or why that cannot be told.
    private let chain: Result<BootChain, FirmwareLogError>

    init(_ chain: Result<BootChain, FirmwareLogError>) { self.chain = chain }

    /// Reads the firmware's log, and the registers that have to vouch for it.
    static func take(_ core: BrokerCore) async throws(SealerError) -> BootView {
        let log: MeasurementLog
        switch FirmwareLog(core.configuration).read() {
        case .success(let read): log = read
        case .failure(let error): return BootView(.failure(error))
        }
        let sealer = core.sealer
        let values = try await core.sealerThread.run { () throws(SealerError) in
            try sealer.measurements(of: BootChain.witnesses)
        }
        do throws(TPMError) { return BootView(.success(try BootChain(log, values: values))) } catch {
            return BootView(.failure(FirmwareLogError(reason: error.reason)))
        }
    }

    /// What to tie a vault to here.
    var registers: [Int] {
        let found = (try? chain.get())?.registers ?? []  // Without a log there are the standard ones.
        return found.union(BootPin.standardRegisters).sorted()
    }

    /// What a tie to these registers holds.
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
        // Without a boot loader that is known, and something that it measures into, nothing can be held.
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
