import Cryptography

/// What a log's file holds, as far as it belongs together.
struct LogContent: Sendable {
    let start: LogStart?
    /// One behind the other as they are in the file; the chain is not yet checked.
    let frames: [LogFrame]
    /// Bytes behind the last frame that are none.
    let rest: Int

    init(_ bytes: [UInt8], _ format: LogFormat) throws(CryptographyError) {
        start = try format.start(of: bytes)
        var frames: [LogFrame] = []
        var place = LogStart.count
        while start != nil, bytes.count - place >= 12 {
            let count = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = place + 12 + count + SHA256.count
            guard count <= LogFormat.longestSealed, end <= bytes.count else { break }
            frames.append(
                LogFrame(
                    sequence: bytes[place + 4..<place + 12].reduce(0) { $0 << 8 | UInt64($1) },
                    sealed: Array(bytes[place + 12..<place + 12 + count]),
                    mac: Array(bytes[end - SHA256.count..<end])))
            place = end
        }
        self.frames = frames
        rest = max(0, bytes.count - place)
    }

    /// The MAC that a frame's own covers.
    func previous(of index: Int) -> [UInt8] { index == 0 ? start?.previous ?? [] : frames[index - 1].mac }

    /// How many frames, from one on, follow each other as they were written.
    func validCount(from first: Int, _ format: LogFormat) throws(CryptographyError) -> Int {
        guard let start else { return 0 }
        for index in first..<frames.count {
            guard frames[index].sequence == start.first &+ UInt64(index) else { return index - first }
            guard try format.isValid(frames[index], after: previous(of: index)) else { return index - first }
        }
        return frames.count - first
    }
}
