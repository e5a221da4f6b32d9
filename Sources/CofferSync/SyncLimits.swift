import CofferSettings

/// The limits of ``SyncedSettings``. What is larger is refused with `SettingsError/Code/limitExceeded`, and told as
/// ``SyncedSettingsChange/Reason/quota``.
///
/// A file of at most `SettingsLimits/file` bytes keeps the settings, and the names of those that the vault does not have yet.
/// Settings within these limits fit into it. They may not if many were removed since the vault was last open: each of these
/// names waits, too.
///
/// ```swift
/// let fits = fontSize.name.utf8.count <= SyncLimits.name
/// ```
public enum SyncLimits {
    /// The longest name of a setting, in bytes of UTF-8.
    public static let name = 255
    /// The largest value, in bytes of its JSON text.
    public static let value = 64 << 10
    /// The most settings of one service.
    public static let count = 1_024
    /// All names and values of one service together, in bytes. Sealed, they keep within what the vault gives a service.
    public static let all = 640 << 10
    /// How many names have changes that wait to be written into the file, at most.
    static let unwritten = 2 * SettingsLimits.count
    /// How many values one call reads, and how many changes one call makes.
    static let reads = 32
    static let changes = 64
    /// The bytes of the values that one call stores.
    static let bytes = 256 << 10
    /// How long a change waits for further ones: what a person drags is given out once.
    static let batch = Duration.seconds(1)
    /// How long until a broker that cannot be asked is asked again: at first, and at most.
    static let pause = (first: Duration.seconds(1), most: Duration.seconds(60))
}
