import Foundation

/// The files of this repository, for tests of what is in them.
public enum SourceTree {
    /// The path of the folder that holds `Sources`.
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        .path

    /// - Parameter file: from the root, as in `docs/doctor.md`.
    public static func path(_ file: String) -> String { root + "/" + file }

    /// A file's text.
    /// - Throws: Foundation's error if it cannot be read.
    public static func text(_ file: String) throws -> String {
        try String(contentsOfFile: path(file), encoding: .utf8)
    }
}
