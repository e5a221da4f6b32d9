import ArgumentParser

/// Checks the names of files from the command line.
enum PathArgument {
    /// - Parameter what: how the message calls it.
    static func check(_ path: String, _ what: String = "file's name") throws(ValidationError) {
        guard !path.isEmpty else { throw ValidationError("the \(what) must not be empty") }
        // Bytes that are not UTF-8 arrive as this character, so another file would be read or written.
        guard !path.unicodeScalars.contains("\u{FFFD}") else { throw ValidationError("the \(what) is not UTF-8") }
    }
}
