/// An account as the broker tells it from others: by its bytes. Two texts that are equal in Unicode name two items.
struct ExactAccount: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (one: ExactAccount, other: ExactAccount) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
