import Coffer

/// A path below a directory, checked: names between slashes, none of which leads out of the directory.
struct RelativePath: Sendable {
    /// Names have the limit of the file system, paths that of an item's label. In bytes.
    enum Limits {
        static let name = 255
        static let path = 1024
        /// Folders in folders.
        static let depth = 64
    }

    /// The folder of the library's own in each directory.
    static let reserved = ".coffer"

    let names: [String]

    /// - Parameter path: for example `notes/today.json`.
    /// - Throws: `.invalidArgument`.
    init(_ path: String) throws(KeychainError) {
        guard path.utf8.count <= Limits.path else {
            throw KeychainError(.invalidArgument, "a file's path has at most \(Limits.path) bytes")
        }
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= Limits.depth else {
            throw KeychainError(.invalidArgument, "a file lies at most \(Limits.depth) folders deep")
        }
        for name in names {
            guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(0), name.utf8.count <= Limits.name
            else {
                throw KeychainError(
                    .invalidArgument, "a file cannot be called \(Self.shown(path))",
                    advice: "give a path like notes/today.json, without . and ..")
            }
        }
        guard names[0] != Self.reserved else {
            throw KeychainError(
                .invalidArgument, "\(Self.reserved) belongs to the library", advice: "choose another name")
        }
        self.names = names
    }

    /// The path of a folder; empty for the directory itself.
    static func folder(_ path: String) throws(KeychainError) -> [String] {
        path.isEmpty ? [] : try RelativePath(path).names
    }

    var folders: ArraySlice<String> { names.dropLast() }
    var last: String { names[names.count - 1] }
    var text: String { names.joined(separator: "/") }

    /// Names come from outside, and messages go to terminals.
    private static func shown(_ path: String) -> String {
        "\"\(VisibleText.line(String(path.unicodeScalars.prefix(100))))\""
    }
}
