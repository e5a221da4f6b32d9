import Cryptography

/// The contents of a log's file, as far as they can be parsed.
struct LogContent: Sendable {
    let start: LogStart?
    /// The frames in the order of the file. Their chain is not yet checked.
    let frames: [LogFrame]
    /// How many bytes follow the last complete frame.
    let rest: Int

    init(_ bytes: [UInt8], _ format: LogFormat) throws(CryptographyError) {
        start = try format.start(of: bytes)
        var frames: [LogFrame] = []
        var place = LogStart.count
        while start != nil, bytes.count - place >= 12 {
            let count = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = place + 12 + count + SHA256.count
            guard count <= AccessLogLimits.record, end <= bytes.count else { break }
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

    /// The previous MAC, which this frame's MAC covers.
    func previous(of index: Int) -> [UInt8] { index == 0 ? start?.previous ?? [] : frames[index - 1].mac }

    /// How many frames, counted from `first`, form an unbroken chain.
    func validCount(from first: Int, _ format: LogFormat) throws(CryptographyError) -> Int {
        guard let start else { return 0 }
        for index in first..<frames.count {
            guard frames[index].sequence == start.first &+ UInt64(index) else { return index - first }
            guard try format.isValid(frames[index], after: previous(of: index)) else { return index - first }
        }
        return frames.count - first
    }
}
