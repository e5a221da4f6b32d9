import Coffer
import Platform

/// A program that reads and writes the clipboard. Values go through pipes, never through arguments.
enum ClipboardTool: String, CaseIterable {
    case wayland = "wl-copy"
    case xclip
    case xsel

    /// The first tool that is installed and has its display.
    static func find(variable: (String) -> String?, programs: ProgramSearch) -> ClipboardTool? {
        allCases.first { tool in
            variable(tool.display) != nil && tool.allPrograms.allSatisfy { programs.path(of: $0) != nil }
        }
    }

    private var display: String { self == .wayland ? "WAYLAND_DISPLAY" : "DISPLAY" }

    private var allPrograms: [String] { self == .wayland ? ["wl-copy", "wl-paste"] : [rawValue] }

    private var copying: [String] {
        switch self {
        case .wayland: ["wl-copy"]
        case .xclip: ["xclip", "-selection", "clipboard", "-in"]
        case .xsel: ["xsel", "--clipboard", "--input"]
        }
    }

    private var pasting: [String] {
        switch self {
        case .wayland: ["wl-paste", "--no-newline"]
        case .xclip: ["xclip", "-selection", "clipboard", "-out"]
        case .xsel: ["xsel", "--clipboard", "--output"]
        }
    }

    func copy(_ value: [UInt8], programs: ProgramSearch) throws(KeychainError) {
        let process = try start(copying, programs) { $0.input = .pipe }
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
            throw KeychainError(.failed, "\(rawValue) failed", advice: "check that the display can be reached")
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
        guard let path = programs.path(of: words[0]) else {
            throw KeychainError(.failed, "\(words[0]) is not installed")
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
