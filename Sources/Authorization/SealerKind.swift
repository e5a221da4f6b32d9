/// What keeps a vault's roots. Root's choice, fixed when the vault is made.
public enum SealerKind: String, Codable, Sendable, CaseIterable {
    case tpm
    case software
}
