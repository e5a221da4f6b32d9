/// Ctrl-Z at a prompt. While the terminal's echo is off, nothing suspends the program, so the key arrives as a character. It is never part of an
/// answer.
package enum SuspendKey {
    private static let character: UInt8 = 0x1A

    /// Shown before the question is repeated.
    package static let notice =
        "Ctrl-Z does not suspend while you are asked, and is no part of an answer; type it again, or cancel with Ctrl-C."

    package static func isIn(_ answer: [UInt8]) -> Bool { answer.contains(character) }
}
