import Coffer
import FoundationEssentials
import Platform

/// Puts a secret on the clipboard and has it cleared later.
struct Clipboard {
    let tool: ClipboardTool
    let programs: ProgramSearch

    static func find(_ session: CommandSession) throws(KeychainError) -> Clipboard {
        guard let tool = ClipboardTool.find(variable: session.variable, programs: session.programs) else {
            throw KeychainError(
                .failed, "no usable clipboard was found, so nothing was read",
                advice: "on a display, install wl-clipboard (Wayland), xclip or xsel (X11)")
        }
        return Clipboard(tool: tool, programs: session.programs)
    }

    /// Starts a process in a session of its own that clears the clipboard, and gives it the value through a pipe. So neither the end of the terminal
    /// nor a reader of this process's output can stop the clearing.
    func copy(_ value: [UInt8], for seconds: Int) throws(KeychainError) {
        let claim = ClipboardClaim.take()
        let arguments = ["clipboard-clear", tool.rawValue, String(seconds)] + (claim.map { [$0.token] } ?? [])
        // Start the clearing process first, so that no secret is copied that nothing would clear.
        do {
            let holder = try Subprocess("/proc/self/exe", arguments) {
                $0.name = "coffer"
                $0.directory = "/"
                $0.input = .pipe
                $0.leadsSession = true
            }
            try holder.write(value)
            holder.closeInput()
        } catch {
            throw KeychainError(.failed, "the process that clears the clipboard could not start, so nothing was copied")
        }
        try tool.copy(value, programs: programs)
    }
}

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
