import Coffer
import FoundationEssentials
import Glibc
import Platform

/// Puts a secret on the clipboard and has it cleared later.
struct Clipboard {
    let tool: ClipboardTool
    let programs: ProgramSearch
    /// Which display it is, or which tmux.
    let display: String
    /// The terminal's file, for a clipboard of the terminal.
    let terminal: String?
    /// Where wl-copy may keep the value; nil for other tools.
    let buffer: WaylandBuffer?

    /// - Parameter consequence: what does not happen without one: "nothing was read".
    static func find(
        _ session: CommandSession, orElse consequence: String = "nothing was read"
    ) throws(KeychainError) -> Clipboard {
        let terminal = ClipboardTool.terminalFile
        guard
            let tool = ClipboardTool.find(
                variable: session.variable, programs: session.programs, hasTerminal: terminal != nil)
        else {
            throw KeychainError(
                .failed, "no usable clipboard was found, so \(consequence)",
                advice:
                    "on a display, install wl-clipboard (Wayland), xclip or xsel (X11); elsewhere, run it in a terminal"
            )
        }
        let buffer =
            tool == .wayland
            ? try WaylandBuffer.find(variable: session.variable, programs: session.programs, orElse: consequence) : nil
        return Clipboard(
            tool: tool, programs: session.programs, display: session.variable(tool.display) ?? "", terminal: terminal,
            buffer: buffer)
    }

    /// What the clipboard is, in a sentence: "the clipboard is cleared in 45 seconds".
    var spoken: String { tool.isSeen ? "the clipboard" : "the terminal's clipboard" }

    /// Copies a value, and has it cleared after a time.
    func copy(_ value: [UInt8], for seconds: Int) throws(KeychainError) {
        guard tool.isSeen || value.count <= ClipboardLimits.terminal else {
            throw KeychainError(
                .limitExceeded, "the value is too large for a terminal's clipboard, so it was not copied",
                advice: "write it to a pipe instead")
        }
        let claim = ClipboardClaim.take(board)
        var givesBack = true
        do throws(KeychainError) {
            // Start the clearing process first, so that no secret is copied that nothing would clear.
            try startClearing(value, after: seconds, claim)
            // What cannot be seen is cleared in any case, and an earlier secret with it.
            givesBack = tool.isSeen
            try put(value)
        } catch {
            // An earlier secret is still there, and its process clears it only with its claim.
            if givesBack { claim?.giveBack(board) }
            throw error
        }
    }

    /// Starts a process in a session of its own that clears the clipboard, and gives it the value through a pipe. So neither the end of the terminal
    /// nor a reader of this process's output can stop the clearing.
    private func startClearing(
        _ value: [UInt8], after seconds: Int, _ claim: ClipboardClaim?
    ) throws(KeychainError) {
        let arguments = ["clipboard-clear", tool.rawValue, String(seconds), board] + (claim.map { [$0.token] } ?? [])
        do {
            let holder = try Subprocess("/proc/self/exe", arguments) {
                $0.name = "coffer"
                $0.directory = "/"
                $0.input = .pipe
                // It cannot open the terminal by itself, because it has none.
                if tool == .terminal, let terminal { $0.output = .file(terminal) }
                $0.leadsSession = true
                $0.outlives = true
            }
            // What cannot be compared is not handed over.
            if tool.isSeen { try holder.write(value) }
            holder.closeInput()
        } catch {
            throw KeychainError(.failed, "the process that clears the clipboard could not start, so nothing was copied")
        }
    }

    private func put(_ value: [UInt8]) throws(KeychainError) {
        if tool == .terminal {
            do throws(SystemError) { try Terminal().write(TerminalClipboard.sequence(value)) } catch {
                throw KeychainError(.failed, "cannot write to the terminal: \(error.reason)")
            }
        } else {
            try tool.copy(value, programs: programs, buffer)
        }
    }

    /// Which clipboard it is, as a part of a file's name. Each terminal, each display and each tmux has its own.
    private var board: String {
        var name = (tool.isSeen ? ClipboardClaim.display : "") + ".\(tool.rawValue).\(display)"
        if tool == .terminal, let terminal { name = terminal }
        // Behind its last comma, TMUX has the session. All sessions of one tmux have one clipboard.
        if tool == .tmux, let comma = name.lastIndex(of: ",") { name = String(name[..<comma]) }
        return String(name.map { $0 == "/" ? "." : $0 })
    }
}

/// A terminal's own clipboard, which its programs set by a control sequence (OSC 52 of xterm).
enum TerminalClipboard {
    static func sequence(_ value: [UInt8]) -> String { "\u{1B}]52;c;\(Data(value).base64EncodedString())\u{7}" }

    /// No data empties the clipboard.
    static var clearing: String { sequence([]) }
}

/// Decides which process clears the clipboard. A newer copy takes the claim and so restarts the time.
struct ClipboardClaim {
    let token: String
    /// The claim before it; nil if there was none.
    var former: Data?

    /// What the name of a display's clipboard begins with.
    static let display = ".display"

    /// nil if the session has no runtime folder; then every copy is cleared after its own time.
    static func take(_ board: String) -> ClipboardClaim? {
        guard let url = file(board) else { return nil }
        let token = String(UInt64.random(in: 0 ... .max), radix: 16)
        // `try?`: what cannot be read cannot be given back.
        let former = try? Data(contentsOf: url)
        do {
            try Data(token.utf8).write(to: url, options: .atomic)
        } catch {
            return nil
        }
        return ClipboardClaim(token: token, former: former)
    }

    /// Gives the claim back to the copy before, because this one has put nothing on the clipboard.
    func giveBack(_ board: String) {
        guard let former, let url = Self.file(board), stands(board) else { return }
        // `try?`: without the file, each copy is cleared after its own time.
        try? former.write(to: url, options: .atomic)
    }

    /// Whether no newer copy has taken the claim. The file holds no secret.
    func stands(_ board: String) -> Bool {
        // If the file cannot be read, the claim counts as standing: clearing too early is the safe mistake.
        guard let url = Self.file(board), let now = try? Data(contentsOf: url) else { return true }
        return now == Data(token.utf8)
    }

    /// The user's runtime folder. If there is none, a terminal's claim is in a folder in memory that this user has made.
    private static func folder(isDisplay: Bool) -> String? {
        if let folder = OwnProcess.environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return folder }
        guard !isDisplay else { return nil }
        let folder = "/dev/shm/coffer-\(geteuid())"
        // `try?`: without a folder that only this user can change, there is no claim.
        try? Folder.make(folder, mode: 0o700)
        guard let status = try? FileStatus.of(folder), status.isSafeFolder(of: geteuid()) else { return nil }
        return folder
    }

    private static func file(_ board: String) -> URL? {
        guard !board.contains("/"), let folder = folder(isDisplay: board.hasPrefix(display)) else { return nil }
        return URL(filePath: folder).appending(path: "coffer-clipboard\(board)")
    }
}
