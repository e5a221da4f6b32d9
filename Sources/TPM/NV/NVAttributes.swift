/// `TPMA_NV`, including the index's type. TPM 2.0 Library, Part 2, section 13.4.
public struct NVAttributes: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let ownerWrite = NVAttributes(rawValue: 1 << 1)
    public static let authorizedWrite = NVAttributes(rawValue: 1 << 2)
    public static let policyWrite = NVAttributes(rawValue: 1 << 3)
    /// `TPM_NT_COUNTER` and `TPM_NT_PIN_FAIL` are in bits 4 to 7. An ordinary index has none of these bits.
    public static let counter = NVAttributes(rawValue: 1 << 4)
    public static let pinFail = NVAttributes(rawValue: 8 << 4)
    public static let ownerRead = NVAttributes(rawValue: 1 << 17)
    public static let authorizedRead = NVAttributes(rawValue: 1 << 18)
    public static let noDictionaryAttack = NVAttributes(rawValue: 1 << 25)
    public static let written = NVAttributes(rawValue: 1 << 29)
}
