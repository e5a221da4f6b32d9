import ArgumentParser

/// Checks text from the command line.
package enum ArgumentText {
    package static func check(_ text: String, _ what: String, limit: Int) throws(ValidationError) {
        guard text.utf8.count <= limit else {
            throw ValidationError("the \(what) is too long: at most \(limit) bytes")
        }
        // Bytes that are not UTF-8 arrive as this character, so two different names could become one.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { throw ValidationError("the \(what) is not UTF-8") }
    }
}
