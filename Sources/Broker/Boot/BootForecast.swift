import Authorization
import BrokerProtocol
import TPM
import Varlink
import Vault

/// Predicts the values of a tied vault's registers after a change, if they can be predicted.
struct BootForecast {
    let boot: BootPin
    let standing: BootStanding

    /// The boot that a call asks to approve.
    ///
    /// - Returns: the digest of its registers; nil if the call means only the present boot.
    func digest(_ method: Keychain.ApproveBoot, _ file: FirmwareLog) throws(Fault) -> [UInt8]? {
        let (replacements, values) = (method.replacements ?? [], method.values ?? [])
        guard replacements.isEmpty || values.isEmpty else {
            throw Fault(.invalidArgument, "name either what is replaced or what the registers will hold, not both")
        }
        let next: [UInt8]
        if !replacements.isEmpty {
            next = try predicted(replacements, file)
        } else if !values.isEmpty {
            next = try expected(values)
        } else {
            return nil
        }
        guard next != standing.now else {
            throw Fault(
                .invalidArgument,
                "that changes nothing in the registers that your vault is tied to, so there is nothing to approve")
        }
        return next
    }

    private func expected(_ given: [Keychain.RegisterValue]) throws(Fault) -> [UInt8] {
        var values = standing.values
        for entry in given {
            let register = Int(clamping: entry.register)
            guard boot.registers.contains(register) else {
                throw Fault(.invalidArgument, "your vault is not tied to register \(entry.register)")
            }
            values[register] = try Self.bytes(entry.value)
        }
        do throws(SealerError) { return try boot.digest(of: values) } catch { throw Fault(error) }
    }

    private func predicted(_ groups: [[Keychain.Replacement]], _ file: FirmwareLog) throws(Fault) -> [UInt8] {
        guard groups.count <= BootLimits.replacements, groups.allSatisfy({ BootLimits.digests.contains($0.count) })
        else {
            throw Fault(.invalidArgument, "there are too many replacements for one update")
        }
        let log: MeasurementLog
        switch file.read() {
        case .success(let read): log = read
        case .failure(let error):
            throw Fault(
                .failed,
                "\(error.reason), so nothing can be predicted from it",
                advice: "name what the registers will hold, with --expect"
            )
        }
        if let unexplained = Self.unexplained(log, standing.values) {
            throw Fault(
                .failed,
                "the firmware's log does not explain what the TPM measured (register \(unexplained)), so nothing can be "
                    + "predicted from it", advice: "name what the registers will hold, with --expect")
        }
        let measured = Set(log.events.map(\.digest))
        var changes: [[UInt8]: [UInt8]] = [:]
        for (index, group) in groups.enumerated() {
            var isMeasured = false
            for replacement in group {
                let old = try Self.bytes(replacement.old)
                guard measured.contains(old) else { continue }
                isMeasured = true
                changes[old] = try Self.bytes(replacement.new)
            }
            guard isMeasured else {
                throw Fault(
                    .invalidArgument,
                    "replacement \(index + 1) replaces something that was not measured when this machine was started")
            }
        }
        do throws(TPMError) {
            return try log.predicted(PCRSelection(Set(boot.registers)), replacing: changes).digest
        } catch { throw Fault(SealerError(error)) }
    }

    /// The lowest register whose value differs from the one that the log yields; nil if all match.
    static func unexplained(_ log: MeasurementLog, _ values: [Int: [UInt8]]) -> Int? {
        // If the log cannot be replayed, it explains no register.
        guard let selection = try? PCRSelection(Set(values.keys)), let replayed = try? log.values(selection) else {
            return values.keys.min()
        }
        return values.keys.sorted().first { replayed[$0] != values[$0] }
    }

    private static func bytes(_ text: String) throws(Fault) -> [UInt8] {
        guard let bytes = Hex.decode(text), bytes.count == 32 else {
            throw Fault(.invalidArgument, "a digest has 64 hexadecimal digits")
        }
        return bytes
    }
}
