import Platform

/// Replaces secrets in a stream. A byte is held back only as long as it could belong to a secret.
struct OutputMask: OutputFilter {
    /// What stands in the place of a secret, or of several that overlap or follow each other.
    static let mark = Array("[masked]".utf8)

    private let matcher: SecretMatcher
    private var state = SecretMatcher.State()
    /// Bytes that were read and not given out.
    private var held: [UInt8] = []
    /// The place in the stream of the first of them.
    private var start = 0
    /// The places of secrets among them, in their order, with gaps between them.
    private var secrets: [Range<Int>] = []
    /// Whether the byte given out last belonged to a secret.
    private var isWithin = false

    init(_ matcher: SecretMatcher) { self.matcher = matcher }

    /// - Returns: what can be shown now.
    mutating func read(_ bytes: [UInt8]) -> [UInt8] {
        var end = start + held.count
        held += bytes
        for byte in bytes {
            let length = matcher.read(byte, &state)
            end += 1
            // All bytes of the string are still held: none could be given out while they could begin it.
            if length > 0 { note(end - length..<end) }
        }
        return giveOut(held.count - matcher.open(state))
    }

    /// - Returns: what was held back, when nothing follows.
    mutating func finish() -> [UInt8] {
        state = SecretMatcher.State()
        return giveOut(held.count)
    }

    /// Notes a secret that ends where the stream does so far. It may begin before others and take them in.
    private mutating func note(_ range: Range<Int>) {
        var range = range
        while let last = secrets.last, last.upperBound >= range.lowerBound {
            range = min(last.lowerBound, range.lowerBound)..<range.upperBound
            secrets.removeLast()
        }
        secrets.append(range)
    }

    private mutating func giveOut(_ count: Int) -> [UInt8] {
        var shown: [UInt8] = []
        let end = start + count
        var place = start
        while place < end {
            let next = secrets.first ?? end..<end
            if place < next.lowerBound {
                let stop = min(next.lowerBound, end)
                shown += held[(place - start)..<(stop - start)]
                isWithin = false
                place = stop
            } else {
                if !isWithin { shown += Self.mark }
                isWithin = true
                place = min(next.upperBound, end)
                if place == next.upperBound { secrets.removeFirst() }
            }
        }
        held.removeFirst(count)
        start = end
        return shown
    }
}
