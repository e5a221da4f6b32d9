/// What a field of an item holds (docs/vault-format.md, "field"). It decides how programs show it, and nothing else.
///
/// ```swift
/// let kinds: Set<FieldKind> = [.secret, .otp]
/// for field in try await keychain.attributes(of: "octo").fields where kinds.contains(field.kind) { print(field.name) }
/// ```
public enum FieldKind: String, Sendable, Hashable, CaseIterable {
    /// A password, a PIN, a key: never shown unless it is asked for.
    case secret
    /// The seed of one-time codes.
    case otp
    /// Notes of several lines.
    case text
    /// The content of a file.
    case file

    /// What a field of this name is unless its kind is named.
    package init(usualFor name: FieldName) {
        switch name {
        case .otp: self = .otp
        case .notes: self = .text
        default: self = .secret
        }
    }
}
