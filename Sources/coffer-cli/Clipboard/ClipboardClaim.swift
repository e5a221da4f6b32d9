import FoundationEssentials

/// Who clears the clipboard: a newer copy takes the claim, and with it restarts the time.
struct ClipboardClaim {
    let token: String

    /// nil where the session has no folder of its own; then every copy clears by its own clock.
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

    /// Whether nobody has taken the claim since. The file holds no secret.
    var stands: Bool {
        // What cannot be read is taken for one's own: clearing too early is the safe mistake.
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
