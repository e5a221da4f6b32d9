/// A property that is a setting.
///
/// ```swift
/// let settings = Settings(suite: "com.example.app")
///
/// struct Preferences {
///     @Setting("fontSize", in: settings) var fontSize = 12
///     @Setting("nickname", in: settings) var nickname: String?
///     @Setting("theme", default: .light, in: settings) var theme: Theme   // enum Theme: String, SettingValue
/// }
///
/// let preferences = Preferences()
/// try preferences.$fontSize.reset()
/// for await size in preferences.$fontSize.changes() { layout(size) }
/// ```
///
/// A property cannot throw. If the stored value is of another type or cannot be read, the property has its default; use
/// ``value()`` to hear of the error. If a value cannot be set, ``Settings/flush()`` throws the error, and
/// ``Settings/failures()`` has it.
@propertyWrapper
public struct Setting<Value: SettingValue>: Sendable {
    /// The setting's name and default.
    public let key: SettingKey<Value>
    /// Where it is stored.
    public let settings: Settings

    /// A setting whose default is the property's first value.
    public init(wrappedValue: Value, _ name: String, in settings: Settings) {
        self.init(SettingKey(name, default: wrappedValue), in: settings)
    }

    /// A setting with this default.
    public init(_ name: String, default: Value, in settings: Settings) {
        self.init(SettingKey(name, default: `default`), in: settings)
    }

    /// A setting that is nil if nothing is stored.
    public init(_ name: String, in settings: Settings) where Value: ExpressibleByNilLiteral {
        self.init(SettingKey(name, default: nil), in: settings)
    }

    /// The setting of a key.
    public init(_ key: SettingKey<Value>, in settings: Settings) {
        self.key = key
        self.settings = settings
    }

    /// The value. Setting it changes memory at once, and the file a moment later: see ``Settings/flush()``.
    public var wrappedValue: Value {
        get {
            // `try?`: a property has its default if its value cannot be read.
            (try? value()) ?? key.defaultValue
        }
        nonmutating set {
            do throws(SettingsError) { try settings.set(newValue, for: key) } catch {
                settings.memory.state.withLock { $0.refused(error) }
            }
        }
    }

    /// The property itself: `$fontSize.reset()`, `$fontSize.changes()`.
    public var projectedValue: Setting<Value> { self }

    /// The value, or why it cannot be read.
    public func value() throws(SettingsError) -> Value { try settings.value(for: key) }

    /// Removes the stored value, so that the default counts again.
    public func reset() throws(SettingsError) { try settings.remove(key) }

    /// The values that the setting has from now on, by whichever process.
    public func changes() -> SettingValues<Value> { settings.changes(of: key) }
}
