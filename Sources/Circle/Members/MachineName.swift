import Authorization

/// What a machine is called: 1 to 64 of `A-Z a-z 0-9 . _ -`, the first a letter or digit. So no two names look alike by
/// characters that nobody sees.
package struct MachineName: Hashable, Sendable {
    package let text: String

    /// - Returns: nil for a name that no machine may have.
    package init?(_ text: String) {
        let letters = Array(text.utf8)
        guard (1...CircleLimits.name).contains(letters.count),
            letters.allSatisfy({ Self.isLetter($0) || "._-".utf8.contains($0) }), Self.isLetter(letters[0])
        else { return nil }
        self.text = text
    }

    /// The name that is nearest to another text, such as the host's name.
    package init(near text: String) {
        let letters = text.utf8.map { Self.isLetter($0) || "._-".utf8.contains($0) ? $0 : UInt8(ascii: "-") }
        let name = letters.drop { !Self.isLetter($0) }.prefix(CircleLimits.name)
        self = MachineName(String(decoding: name, as: UTF8.self)) ?? .unnamed
    }

    private static let unnamed = MachineName(valid: "machine")

    private init(valid text: String) { self.text = text }

    var bytes: [UInt8] { LengthPrefixed.encode(Array(text.utf8)) }

    init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        guard let name = MachineName(try rest.text(upTo: CircleLimits.name)) else { throw .form }
        self = name
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
