import Coffer
import Foundation

/// A program that reads and writes the clipboard. Values go through pipes, never through arguments.
enum ClipboardTool: String, CaseIterable {
    case wayland = "wl-copy"
    case xclip
    case xsel

    /// The first that is installed and has its display.
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
        let pipe = Pipe()
        let process = try start(copying, programs, input: pipe, output: FileHandle.nullDevice)
        do {
            try pipe.fileHandleForWriting.write(contentsOf: Data(value))
            try pipe.fileHandleForWriting.close()
        } catch {
            throw KeychainError(
                .failed, "\(rawValue) did not take the secret", advice: "see whether the display can be reached")
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw KeychainError(.failed, "\(rawValue) failed", advice: "see whether the display can be reached")
        }
    }

    /// What is on the clipboard now, up to one byte more than the limit.
    func paste(limit: Int, programs: ProgramSearch) throws(KeychainError) -> [UInt8] {
        let pipe = Pipe()
        let process = try start(pasting, programs, input: FileHandle.nullDevice, output: pipe)
        var bytes: [UInt8] = []
        do {
            while bytes.count <= limit,
                let more = try pipe.fileHandleForReading.read(upToCount: limit + 1 - bytes.count), !more.isEmpty
            {
                bytes += more
            }
            try pipe.fileHandleForReading.close()
        } catch {
            throw KeychainError(.failed, "the clipboard cannot be read")
        }
        process.waitUntilExit()
        return bytes
    }

    private func start(_ words: [String], _ programs: ProgramSearch, input: Any, output: Any) throws(KeychainError)
        -> Process
    {
        guard let path = programs.path(of: words[0]) else {
            throw KeychainError(.failed, "\(words[0]) is not installed")
        }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(filePath: "/")
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw KeychainError(.failed, "\(path) cannot be run")
        }
        return process
    }
}
