/// The maker and model of a TPM.
public struct TPMDescription: Sendable, Hashable {
    /// Up to four letters registered with the TCG: `IFX`, `NTC`, `STM`, `IBM` (swtpm).
    public let manufacturer: String
    /// The maker's own name for the model.
    public let model: String

    /// From `TPM_PT_MANUFACTURER` and `TPM_PT_VENDOR_STRING_1…4`.
    init(_ properties: [UInt32: UInt32]) {
        func text(_ numbers: ClosedRange<UInt32>) -> String {
            let bytes = numbers.flatMap { number -> [UInt8] in
                var bytes: [UInt8] = []
                bytes.append(properties[number] ?? 0)
                return bytes
            }
            // Keeps only printable ASCII, because the text goes to terminals and logs.
            let printable = bytes.filter { (0x20...0x7E).contains($0) }
            return String(decoding: printable, as: UTF8.self).split(separator: " ").joined(separator: " ")
        }
        manufacturer = text(0x105...0x105)
        model = text(0x106...0x109)
    }
}

extension TPMContext {
    /// Takes one command.
    public func describe() throws(TPMError) -> TPMDescription {
        TPMDescription(try Capability.properties(from: 0x105, count: 5, engine.channel))
    }
}
