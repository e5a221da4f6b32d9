/// The name of a setting, together with the type of its value and its default.
///
/// ```swift
/// extension SettingKey where Value == Int {
///     static let fontSize = SettingKey("editor.fontSize", default: 12)
/// }
/// let size = try settings.value(for: .fontSize)
/// ```
public struct SettingKey<Value: SettingValue>: Sendable {
    /// The name: 1 to 256 bytes of UTF-8, without control characters.
    public let name: String
    /// The value if nothing is stored or registered.
    public let defaultValue: Value

    /// - Parameters:
    ///   - name: a name that is unique in its suite. It is checked when the key is used.
    ///   - default: the value if nothing is stored.
    public init(_ name: String, default: Value) {
        self.name = name
        defaultValue = `default`
    }
}

extension SettingKey where Value: ExpressibleByNilLiteral {
    /// A setting that is nil if nothing is stored: `SettingKey<String?>("nickname")`.
    public init(_ name: String) { self.init(name, default: nil) }
}

package enum SettingName {
    /// Whether a setting can have this name.
    package static func isUsable(_ name: String) -> Bool {
        do throws(SettingsError) { try check(name) } catch { return false }
        return true
    }

    static func check(_ name: String) throws(SettingsError) {
        guard !name.isEmpty, name.utf8.count <= SettingsLimits.name else {
            throw SettingsError(
                .invalidName, "the name of a setting has \(name.utf8.count) bytes",
                advice: "choose one of 1 to \(SettingsLimits.name) bytes")
        }
        guard name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw SettingsError(.invalidName, "the name of a setting has a control character")
        }
    }
}
