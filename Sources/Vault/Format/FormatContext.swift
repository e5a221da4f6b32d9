import Authorization

/// What every sealed string of a vault is bound to, as associated data.
struct FormatContext: Sendable {
    /// The only format that this code reads and writes.
    static let format: UInt16 = 1

    let vault: VaultID

    /// `LP(domain) ‖ LP(u16 format) ‖ LP(vault) ‖ LP(part)…`
    func bind(_ domain: String, _ parts: [UInt8]...) -> [UInt8] {
        LengthPrefixed.encode([Array(domain.utf8), BigEndian.bytes(Self.format), vault.bytes] + parts)
    }
}

/// What one version of an item is bound to, as associated data.
struct ItemContext: Sendable {
    let format: FormatContext
    let item: ItemID
    let version: UInt64
    let access: AccessControl

    func bind(_ domain: String, _ parts: [[UInt8]] = []) -> [UInt8] {
        format.bind(domain, item.bytes, BigEndian.bytes(version), access.encoded) + LengthPrefixed.encode(parts)
    }
}
