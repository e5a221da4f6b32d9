// What a field is called, and its kind, are in the module that every layer shares. Applications import this one.
@_exported import Item

/// A field of an item, without its value.
///
/// ```swift
/// for field in try await keychain.attributes(of: "octo").fields { print(field.name, field.kind) }
/// ```
public struct Field: Sendable, Hashable {
    /// What it is called.
    public let name: FieldName
    /// What it holds.
    public let kind: FieldKind
    /// When its present value was set. Applications have it as a date.
    package let setAt: Moment
    /// The enrolled fingers that the value is bound to; nil if it is bound to none.
    package let biometrySet: String?

    package init(_ name: FieldName, _ kind: FieldKind, setAt: Moment, biometrySet: String? = nil) {
        self.name = name
        self.kind = kind
        self.setAt = setAt
        self.biometrySet = biometrySet
    }
}
