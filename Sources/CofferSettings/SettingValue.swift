/// A type that can be stored as a setting.
///
/// These are: `Bool`, whole numbers, `Double`, `Float`, `String`, `[UInt8]`, `Data`, `Date`, `URL`; and optionals, arrays
/// and dictionaries of them with `String` keys. A type of your own takes part by naming the protocol, if it is `Codable`,
/// or if it has a raw value that can be stored:
/// ```swift
/// enum Theme: String, SettingValue { case light, dark }
/// struct WindowFrame: Codable, SettingValue { var width = 800, height = 600 }
/// ```
/// Settings are plain text in the user's folder. Never make a type of this that has a secret: see ``Sensitive``.
public protocol SettingValue: Sendable {
    /// How a value is stored. `Codable` types and those with a raw value have it already.
    static var settingCoding: SettingCoding<Self> { get }
    /// How a list of values is stored. All types have it already.
    static var settingListCoding: SettingCoding<[Self]> { get }
}

extension SettingValue {
    /// A list of what each element is stored as.
    public static var settingListCoding: SettingCoding<[Self]> {
        let coding = settingCoding
        return SettingCoding(
            encode: { (values) throws(SettingsError) in
                var elements: [SettingsJSON] = []
                elements.reserveCapacity(values.count)
                for value in values { elements.append(try coding.encode(value)) }
                return .array(elements)
            },
            decode: { (json) throws(SettingsError) in
                guard case .array(let elements) = json else { return nil }
                var values: [Self] = []
                values.reserveCapacity(elements.count)
                for element in elements { values.append(try coding.decode(element)) }
                return values
            })
    }
}

extension SettingValue where Self: Codable {
    /// As the type encodes itself.
    public static var settingCoding: SettingCoding<Self> { .codable }
}

extension SettingValue where Self: RawRepresentable, RawValue: SettingValue {
    /// As its raw value.
    public static var settingCoding: SettingCoding<Self> { .raw }
}

extension SettingValue where Self: RawRepresentable & Codable, RawValue: SettingValue {
    /// As its raw value.
    public static var settingCoding: SettingCoding<Self> { .raw }
}

extension SettingValue where Self: SensitiveValue & Codable {
    /// Nothing: a type cannot be both sensitive and a setting.
    @available(*, unavailable, message: "settings are plain text; store a sensitive value in a keychain")
    public static var settingCoding: SettingCoding<Self> { .refusing }
}

extension SettingValue where Self: SensitiveValue & RawRepresentable, RawValue: SettingValue {
    /// Nothing: a type cannot be both sensitive and a setting.
    @available(*, unavailable, message: "settings are plain text; store a sensitive value in a keychain")
    public static var settingCoding: SettingCoding<Self> { .refusing }
}

extension SettingValue where Self: SensitiveValue & RawRepresentable & Codable, RawValue: SettingValue {
    /// Nothing: a type cannot be both sensitive and a setting.
    @available(*, unavailable, message: "settings are plain text; store a sensitive value in a keychain")
    public static var settingCoding: SettingCoding<Self> { .refusing }
}
