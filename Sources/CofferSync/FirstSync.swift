import CofferSettings

/// Who wins when a machine's settings first meet those of the other machines. What only one side has is kept in any case.
///
/// ```swift
/// let settings = SyncedSettings(service: "com.example.app", firstSync: .remote)
/// ```
public struct FirstSync: Sendable {
    let decide: @Sendable (_ name: String, _ local: SettingsJSON, _ remote: SettingsJSON) -> SettingsJSON

    /// The values of the other machines. This is what Apple's key-value store does.
    public static let remote = FirstSync { _, _, remote in remote }

    /// The values of this machine, which then go to the others.
    public static let local = FirstSync { _, local, _ in local }

    /// What the closure makes of both. It must give the same for the same values.
    /// ```swift
    /// let longest = FirstSync.merge { name, local, remote in
    ///     guard case .array(let here) = local, case .array(let there) = remote else { return remote }
    ///     return here.count > there.count ? local : remote
    /// }
    /// ```
    public static func merge(
        _ body: @escaping @Sendable (_ name: String, _ local: SettingsJSON, _ remote: SettingsJSON) -> SettingsJSON
    ) -> FirstSync { FirstSync(decide: body) }
}
