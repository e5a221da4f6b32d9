import Coffer

/// The limits of settings. Everything larger is refused with ``SettingsError/Code/limitExceeded``.
///
/// ```swift
/// let fits = fontSize.name.utf8.count <= SettingsLimits.name
/// ```
public enum SettingsLimits {
    /// The longest name of a setting, in bytes of UTF-8.
    public static let name = 256
    /// The longest name of a suite, in bytes.
    public static let suite = 128
    /// The largest value, in bytes of its JSON text.
    public static let value = StorageLimits.setting
    /// The most settings in a suite.
    public static let count = 2048
    /// The most changes that wait to be written: a suite is emptied and filled again.
    static let pending = 2 * count
    /// The largest suite, in bytes of its JSON text.
    public static let file = 1 << 20
    /// The deepest nesting of a value.
    public static let depth = 32
    /// How long a write waits for other processes. Each of them holds the lock for one read and one write.
    static let lock = Duration.seconds(20)
    /// How long a write waits for more settings to be written with it, unless the application says another time.
    static let batch = Duration.milliseconds(200)
    /// How often files are looked at if the kernel cannot tell when they change, in seconds.
    static let pollSeconds = 1.0
}
