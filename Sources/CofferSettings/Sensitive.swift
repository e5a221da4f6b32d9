/// A value that settings refuse, because they are plain text. Passwords, tokens and keys belong into a keychain.
///
/// Mark your own type, and no setting can hold it: not by itself, and not as a part of another value.
/// ```swift
/// struct Token: Codable, SensitiveValue { let text: String }
/// ```
public protocol SensitiveValue: Sendable {}

/// Marks one value or one property as sensitive.
///
/// Storing it as a setting does not compile. Storing a type that has such a property throws
/// ``SettingsError/Code/sensitive``. Neither `print` nor `dump` shows it.
/// ```swift
/// struct Account: Codable, Sendable {
///     var name: String
///     @Sensitive var token: String
/// }
/// ```
@propertyWrapper
public struct Sensitive<Value: Sendable>: SensitiveValue {
    /// The value itself.
    public var wrappedValue: Value

    /// Marks a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Marks a value: `Sensitive(token)`.
    public init(_ value: Value) { wrappedValue = value }
}

extension Sensitive: Equatable where Value: Equatable {}
extension Sensitive: Hashable where Value: Hashable {}

extension Sensitive: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[REDACTED]`, always.
    public var description: String { "[REDACTED]" }
    /// `[REDACTED]`, always.
    public var debugDescription: String { "[REDACTED]" }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sensitive: Decodable where Value: Decodable {
    /// Reads the value as if it were not marked.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Sensitive: Encodable where Value: Encodable {
    /// Writes the value as if it were not marked.
    /// - Throws: ``SettingsError/Code/sensitive`` if it would become a setting.
    public func encode(to encoder: any Encoder) throws {
        guard !(encoder is SettingsEncoder) else { throw SettingsError.sensitive(Self.self) }
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

@available(*, unavailable, message: "settings are plain text; store a sensitive value in a keychain")
extension Sensitive: SettingValue where Value: SettingValue {
    /// Does not compile in a program; refuses if it is reached all the same.
    public static var settingCoding: SettingCoding<Self> { .refusing }
}

extension SettingsError {
    static func sensitive(_ type: Any.Type) -> SettingsError {
        SettingsError(
            .sensitive, "a value of type \(type) is marked as sensitive, and settings are plain text",
            advice: "store it in a keychain")
    }
}
