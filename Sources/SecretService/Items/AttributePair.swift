/// One attribute, compared byte by byte. Two different texts can be equal in Unicode.
struct AttributePair: Hashable {
    let name: String
    let value: String

    static func == (one: AttributePair, other: AttributePair) -> Bool {
        one.name.utf8.elementsEqual(other.name.utf8) && one.value.utf8.elementsEqual(other.value.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for text in [name, value] {
            for byte in text.utf8 { hasher.combine(byte) }
            hasher.combine(UInt8.max)
        }
    }
}

extension [String: String] {
    var pairs: Set<AttributePair> { Set<AttributePair>(map { AttributePair(name: $0.key, value: $0.value) }) }
}
