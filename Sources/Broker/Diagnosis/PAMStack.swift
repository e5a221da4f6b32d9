import Glibc
import Platform

/// One line of a PAM service file (pam.conf(5)), or of a file that it includes.
struct PAMLine: Sendable, Equatable {
    /// `auth`, `account`, `password` or `session`.
    let type: String
    let control: String
    /// Without folder: `pam_unix.so`. With it, if others than the system's packages could have put the module there:
    /// then its name says nothing about it.
    let module: String
    let arguments: [String]
    let file: String
    /// How many `substack` lines it is within. A jump, `done` or `die` does not leave its substack.
    let depth: Int
    /// The module as the line names it.
    var path = ""
    /// Whether a dash stands before the line: nobody minds if the module is missing.
    var isOptional = false

    /// The module's name without folder, wherever it is.
    var name: String { module.split(separator: "/").last.map(String.init) ?? module }

    /// Whether the line ends as in files of other systems. libpam finds no module of such a name, and no such argument.
    var endsWithCarriageReturn: Bool { (arguments.last ?? module).hasSuffix("\r") }
}

/// The lines of a PAM service, with those of all files that it includes.
struct PAMStack: Sendable, Equatable {
    private(set) var lines: [PAMLine] = []
    private(set) var files: [String] = []
    /// The names of files that cannot be read.
    private(set) var missing: [String] = []

    /// - Parameter folders: the folders that hold service files. The first folder that has the file counts.
    init(service: String, folders: [String]) { read(service, folders, only: nil, depth: 0, substacks: 0) }

    private mutating func read(_ name: String, _ folders: [String], only type: String?, depth: Int, substacks: Int) {
        let paths = name.hasPrefix("/") ? [name] : folders.map { "\($0)/\(name)" }
        guard depth < DiagnosisLimits.pamDepth,
            let (path, content) = Self.first(of: paths)
        else {
            missing.append(name)
            return
        }
        files.append(path)
        for line in Self.logicalLines(String(decoding: content, as: UTF8.self)) {
            let words = Self.words(line)
            guard let first = words.first else { continue }
            if first == "@include" {
                if words.count > 1 {
                    read(words[1], folders, only: type, depth: depth + 1, substacks: substacks)
                }
                continue
            }
            // A leading dash tells libpam not to log a missing module.
            let kind = (first.hasPrefix("-") ? String(first.dropFirst()) : first).lowercased()
            guard words.count >= 3, type == nil || type == kind else { continue }
            switch words[1].lowercased() {
            case "include": read(words[2], folders, only: kind, depth: depth + 1, substacks: substacks)
            case "substack": read(words[2], folders, only: kind, depth: depth + 1, substacks: substacks + 1)
            case let control:
                lines.append(
                    PAMLine(
                        type: kind, control: control, module: Self.module(words[2]),
                        arguments: Array(words.dropFirst(3)), file: path, depth: substacks, path: words[2],
                        isOptional: first.hasPrefix("-")))
            }
        }
    }

    private static func module(_ path: String) -> String {
        guard let end = path.lastIndex(of: "/") else { return path }
        return PAMModules.isSystems(String(path[..<end])) ? String(path[path.index(after: end)...]) : path
    }

    /// The first file that is there. Files of PAM may be links.
    ///
    /// - Returns: nil if it cannot be read.
    private static func first(of paths: [String]) -> (path: String, content: [UInt8])? {
        for path in paths {
            do throws(SystemError) {
                // A pipe in its place would make the diagnosis wait for a writer.
                let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
                return (path, try DurableFile.read(file, named: path, limit: DiagnosisLimits.pamFile))
            } catch {
                guard error.errno == ENOENT || error.errno == ENOTDIR else { return nil }
            }
        }
        return nil
    }

    /// The lines without comments. A backslash at the end of a line joins the next one.
    private static func logicalLines(_ text: String) -> [String] {
        var lines: [String] = []
        var pending = ""
        // By scalars: Swift takes CR LF for one character, and would find one line in such a file.
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let content = line.prefix { $0 != "#" }
            if content.hasSuffix("\\") {
                pending += content.dropLast() + " "
            } else {
                lines.append(pending + content)
                pending = ""
            }
        }
        return pending.isEmpty ? lines : lines + [pending]
    }

    /// Text in brackets is one word, even if it has spaces. Only spaces and tabs end a word for libpam: a carriage return
    /// belongs to it.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isBracketed = false
        for character in line {
            if character == "[" { isBracketed = true }
            if character == "]" { isBracketed = false }
            if character == " " || character == "\t", !isBracketed {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }
}
