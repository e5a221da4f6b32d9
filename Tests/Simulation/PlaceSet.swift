/// A set of changes, by their places in the witness' list: a bit for each. Nothing is ever taken out.
struct PlaceSet: Equatable {
    /// The last one is never 0, so that equal sets have equal words.
    private var words: [UInt64] = []

    init(_ places: some Sequence<Int> = []) {
        for place in places { insert(place) }
    }

    func contains(_ place: Int) -> Bool {
        place >> 6 < words.count && words[place >> 6] & Self.bit(place) != 0
    }

    mutating func insert(_ place: Int) {
        while words.count <= place >> 6 { words.append(0) }
        words[place >> 6] |= Self.bit(place)
    }

    func isSubset(of other: PlaceSet) -> Bool {
        words.count <= other.words.count && zip(words, other.words).allSatisfy { $0 & ~$1 == 0 }
    }

    /// In order.
    var places: [Int] { (0..<words.count << 6).filter(contains) }

    private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(place & 63) }
}
