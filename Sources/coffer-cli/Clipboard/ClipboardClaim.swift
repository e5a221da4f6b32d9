import FoundationEssentials

/// Decides which process clears the clipboard. A newer copy takes the claim and so restarts the time.
struct ClipboardClaim {
    let token: String

    /// nil if the session has no runtime folder; then every copy is cleared after its own time.
    static func take() -> ClipboardClaim? {
        guard let url = file else { return nil }
        let token = String(UInt64.random(in: 0 ... .max), radix: 16)
        do {
            try Data(token.utf8).write(to: url, options: .atomic)
        } catch {
            return nil
        }
        return ClipboardClaim(token: token)
    }

    /// Whether no newer copy has taken the claim. The file holds no secret.
    var stands: Bool {
        // If the file cannot be read, the claim counts as standing: clearing too early is the safe mistake.
        guard let url = Self.file, let now = try? Data(contentsOf: url) else { return true }
        return now == Data(token.utf8)
    }

    private static var file: URL? {
        guard let folder = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else {
            return nil
        }
        return URL(filePath: folder).appending(path: "coffer-clipboard")
    }
}
