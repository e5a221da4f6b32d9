/// A word of a command that a person may paste into a shell.
package enum ShellWord {
    /// Every character of it may be shown as it is, so nothing that shows the command changes it.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", ":", "@", "%", "+", "=", ",": true
            default: false
            }
        }
        // zsh takes `=ls` for the path of the program ls.
        if isPlain, !word.isEmpty, !word.hasPrefix("=") { return word }
        guard VisibleCharacters.show(word) else { return spelt(word) }
        // Not by characters: for Unicode, a quote and an accent after it are one character, which is no quote.
        var inner = String.UnicodeScalarView()
        for scalar in word.unicodeScalars {
            if scalar == "'" { inner.append(contentsOf: #"'\'"#.unicodeScalars) }
            inner.append(scalar)
        }
        return "'\(String(inner))'"
    }

    /// The form in which bash, zsh and ksh read characters by number: `$'a\u200bb'`.
    private static func spelt(_ word: String) -> String {
        var inner = String.UnicodeScalarView()
        var characters = VisibleCharacters()
        for scalar in word.unicodeScalars {
            guard characters.shows(scalar) else {
                inner.append(contentsOf: number(scalar).unicodeScalars)
                continue
            }
            if scalar == "'" || scalar == "\\" { inner.append("\\") }
            inner.append(scalar)
        }
        return "$'\(String(inner))'"
    }

    private static func number(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        let (letter, width) = digits.count > 4 ? ("U", 8) : ("u", 4)
        return "\\\(letter)" + String(repeating: "0", count: width - digits.count) + digits
    }
}
