/// What keeps a vault's roots. Root chooses it when the vault is made, and it never changes.
public enum SealerKind: String, Codable, Sendable, CaseIterable {
    case tpm
    case software
}
