import ArgumentParser
import Coffer

// Every limit of the two programs: how much input is read, and how much one request does.

/// What callers may send.
enum CredentialInputLimits {
    /// All of the input. git sends some hundred bytes, and long answers of a server in `wwwauth[]`.
    static let total = 8 << 20
    /// What is read at once.
    static let part = 65_536
}

/// Fields of git's protocol, in bytes.
enum FieldLimits {
    /// The longest key that is known. A longer one is not.
    static let key = 32
    /// A protocol, a number, or a word such as `true`.
    static let word = 64
    /// What becomes part of an item's name. The broker takes 1 KiB for service and account each.
    static let name = 4096
    /// A password or token. The broker takes 1 MiB for an item.
    static let secret = ItemLimits.value
}

/// What one call to the broker takes.
enum CredentialCallLimits {
    /// Items that one prompt can name.
    static let reads = ItemLimits.reads
    /// Changes in one transaction.
    static let changes = ItemLimits.changes
    /// How often a person may type a wrong password at a terminal.
    static let tries = 3
    /// How often an entry is erased or stored until it does not change meanwhile.
    static let attempts = 8
    /// The text that a prompt shows as the reason, in Unicode scalars.
    static let reason = 200
}

/// Text in arguments, in bytes of UTF-8.
package enum ArgumentLimits {
    /// The name of a group or a user. No name service takes more.
    package static let owner = 256
}

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
