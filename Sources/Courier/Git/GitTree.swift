/// A file of a commit, as a listing has it.
struct GitFile: Sendable, Equatable {
    /// Its path from the top of the repository on.
    let path: String
    let object: String
    /// Whether it is a file: no link, and no other repository.
    let isFile: Bool
    /// In bytes.
    let size: Int

    /// Reads what `git ls-tree -z -l` says. What is no UTF-8 is left out, because it is not Coffer's.
    static func list(_ output: [UInt8]) -> [GitFile] {
        output.split(separator: 0).compactMap { line in
            guard let text = String(validating: line, as: UTF8.self), let tab = text.firstIndex(of: "\t") else {
                return nil
            }
            // Mode, type, object and size, which is `-` for a folder.
            let words = text[..<tab].split(separator: " ")
            guard words.count == 4 else { return nil }
            return GitFile(
                path: String(text[text.index(after: tab)...]), object: String(words[2]),
                isFile: words[1] == "blob" && (words[0] == "100644" || words[0] == "100755"),
                size: Int(words[3]) ?? .max)
        }
    }
}

/// A change that a commit makes.
struct GitChange: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case bytes([UInt8])
        /// What the repository has already.
        case object(String)
        case nothing
    }

    /// The path from the top of the repository on.
    let path: String
    let content: Content

    /// Reads what `git diff-tree -r -z` says.
    static func list(_ output: [UInt8]) -> [GitChange] {
        let parts = output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return stride(from: 0, to: parts.count - 1, by: 2).compactMap { index in
            // `:` and the two modes, the two objects and a letter.
            let words = parts[index].split(separator: " ")
            guard words.count == 5 else { return nil }
            return switch words[1] {
            case "100644": GitChange(path: parts[index + 1], content: .object(String(words[3])))
            case "000000": GitChange(path: parts[index + 1], content: .nothing)
            default: nil
            }
        }
    }

    /// A commit for `git fast-import`. It says nothing of the machine that makes it.
    /// - Parameter base: the commit before it; nil if there is none.
    static func commit(_ changes: [GitChange], to ref: String, onto base: String?, at seconds: Int64) -> [UInt8] {
        let message = "Coffer: sync\n"
        var stream = Array(
            "commit \(ref)\ncommitter Coffer <coffer@localhost> \(seconds) +0000\ndata \(message.utf8.count)\n\(message)"
                .utf8)
        if let base { stream += Array("from \(base)\n".utf8) }
        for change in changes {
            let path = quoted(change.path)
            switch change.content {
            case .bytes(let bytes):
                stream += Array("M 100644 inline \(path)\ndata \(bytes.count)\n".utf8) + bytes + [0x0A]
            case .object(let object): stream += Array("M 100644 \(object) \(path)\n".utf8)
            case .nothing: stream += Array("D \(path)\n".utf8)
            }
        }
        return stream + Array("done\n".utf8)
    }

    /// By scalars: Swift takes CR LF, and a quote with an accent, for one character, which is neither of these.
    private static func quoted(_ path: String) -> String {
        var text = "\""
        for scalar in path.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
