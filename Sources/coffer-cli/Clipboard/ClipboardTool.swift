import Coffer
import Glibc
import Platform

/// What reads and writes the clipboard: a program, or the terminal. Values go through pipes, never through arguments.
enum ClipboardTool: String, CaseIterable {
    case wayland = "wl-copy"
    case xclip
    case xsel
    /// tmux, which sets the clipboard of the terminal that it runs in.
    case tmux
    case terminal

    /// The first tool that is installed and has its display. Without a display, the terminal.
    static func find(
        variable: (String) -> String?, programs: ProgramSearch, hasTerminal: Bool
    ) -> ClipboardTool? {
        allCases.first { tool in
            guard tool != .terminal else { return hasTerminal && !dumb.contains(variable("TERM") ?? "dumb") }
            return variable(tool.display) != nil && tool.allPrograms.allSatisfy { programs.path(of: $0) != nil }
        }
    }

    /// Terminals without a clipboard: unknown ones, and the kernel's.
    private static let dumb: Set<String> = ["dumb", "unknown", "linux"]

    /// The file of the terminal that this process reads or writes; nil if it has none.
    static var terminalFile: String? {
        [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].lazy.filter { isatty($0) == 1 }
            // `try?`: what cannot be named is passed over.
            .compactMap { try? ProcessLink.read("fd/\($0)", of: getpid()) }.first { $0.hasPrefix("/dev/") }
    }

    /// Whether it can be seen what the clipboard holds. Most terminals do not tell that.
    var isSeen: Bool { self != .tmux && self != .terminal }

    /// The variable that names the display, or what tmux runs.
    var display: String {
        switch self {
        case .wayland: "WAYLAND_DISPLAY"
        case .tmux: "TMUX"
        case .xclip, .xsel, .terminal: "DISPLAY"
        }
    }

    private var allPrograms: [String] { self == .wayland ? ["wl-copy", "wl-paste"] : [rawValue] }

    /// The name of tmux's buffer, which is there for a moment only.
    private static let buffer = "coffer-clipboard"

    private var copying: [String] {
        switch self {
        case .wayland: ["wl-copy"]
        case .xclip: ["xclip", "-selection", "clipboard", "-in"]
        case .xsel: ["xsel", "--clipboard", "--input"]
        case .tmux: ["tmux", "load-buffer", "-w", "-b", Self.buffer, "-"]
        case .terminal: []
        }
    }

    private var pasting: [String] {
        switch self {
        case .wayland: ["wl-paste", "--no-newline"]
        case .xclip: ["xclip", "-selection", "clipboard", "-out"]
        case .xsel: ["xsel", "--clipboard", "--output"]
        case .tmux, .terminal: []
        }
    }

    /// - Parameter buffer: where wl-copy may keep the value; nil for what is no secret, and for other tools.
    func copy(
        _ value: [UInt8], programs: ProgramSearch, _ buffer: WaylandBuffer? = nil
    ) throws(KeychainError) {
        // A namespace has the machine's files, so the path stays the same there.
        let words = buffer?.words(programs.path(of: rawValue) ?? rawValue) ?? copying
        let process = try start(words, programs) {
            $0.input = .pipe
            if let environment = buffer?.environment { $0.environment = environment }
        }
        let status: Int32?
        do {
            try process.write(value)
            process.closeInput()
            status = try process.wait(until: nil)
        } catch {
            throw KeychainError(
                .failed, "\(rawValue) did not take the secret", advice: "check that the display can be reached")
        }
        guard status == 0 else {
            throw KeychainError(
                .failed, "\(rawValue) failed",
                advice: self == .tmux ? "tmux 3.2 is needed" : "check that the display can be reached")
        }
        guard self == .tmux else { return }
        // tmux would keep the value, and show it to everybody who lists its buffers.
        let removal = try start(["tmux", "delete-buffer", "-b", Self.buffer], programs) { _ in }
        do { _ = try removal.wait(until: nil) } catch {
            throw KeychainError(
                .failed, "tmux still has the value", advice: "run: tmux delete-buffer -b \(Self.buffer)")
        }
    }

    /// Clears the clipboard.
    func clear(programs: ProgramSearch) throws(KeychainError) {
        switch self {
        case .terminal:
            // The terminal may be gone, and its clipboard with it.
            do { try StandardOutput.write(Array(TerminalClipboard.clearing.utf8)) } catch {}
        // tmux passes nothing on that is empty.
        case .tmux: try copy([UInt8(ascii: " ")], programs: programs)
        case .wayland, .xclip, .xsel: try copy([], programs: programs)
        }
    }

    /// The present content of the clipboard, up to one byte more than the limit.
    func paste(limit: Int, programs: ProgramSearch) throws(KeychainError) -> [UInt8] {
        let process = try start(pasting, programs) { $0.output = .pipe }
        var bytes: [UInt8] = []
        do {
            while bytes.count <= limit {
                let more = try process.read(limit: limit + 1 - bytes.count)
                if more.isEmpty { break }
                bytes += more
            }
            process.closeOutput()
            _ = try process.wait(until: nil)
        } catch {
            throw KeychainError(.failed, "the clipboard cannot be read")
        }
        return bytes
    }

    private func start(
        _ words: [String], _ programs: ProgramSearch, _ configure: (inout Subprocess.Setup) -> Void
    ) throws(KeychainError) -> Subprocess {
        guard let program = words.first, let path = program.hasPrefix("/") ? program : programs.path(of: program) else {
            throw KeychainError(.failed, "\(words.first ?? rawValue) is not installed")
        }
        do {
            return try Subprocess(path, Array(words.dropFirst())) {
                $0.directory = "/"
                configure(&$0)
            }
        } catch {
            throw KeychainError(.failed, "\(path) cannot be run")
        }
    }
}
