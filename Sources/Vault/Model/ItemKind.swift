/// What an item is. Items of different kinds have different names, even if service and account are the same
/// (docs/vault-format.md, "posting").
public enum ItemKind: String, Codable, Sendable, CaseIterable {
    /// A password, a token, or anything else.
    case generic
    /// A password for a server.
    case internet
    case key, certificate
    /// The key of a protected file.
    case file
}
