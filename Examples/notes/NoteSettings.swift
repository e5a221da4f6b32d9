import ArgumentParser
import Coffer
import CofferSettings

/// How notes are sorted.
enum SortOrder: String, SettingValue, ExpressibleByArgument, CaseIterable { case title, date }

/// What the user has chosen. It is no secret.
struct NoteSettings {
    static let service = "com.example.notes"

    @Setting var order: SortOrder
    @Setting var isPrivate: Bool
    private let settings: Settings

    init() {
        settings = Settings(suite: Self.service)
        _order = Setting("sort-order", default: .title, in: settings)
        _isPrivate = Setting("private", default: false, in: settings)
    }

    /// Writes the settings. Call it before the program ends.
    func save() async throws(SettingsError) { try await settings.flush() }
}
