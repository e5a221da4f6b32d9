/// Cuts a stream into messages that end with a zero byte. Wipes what it has handed on.
struct MessageFramer {
    /// The most bytes of one message.
    let limit: Int
    private var pending: [UInt8] = []
    private var searched = 0

    init(limit: Int) { self.limit = limit }

    /// Bytes that no message has taken yet.
    var count: Int { pending.count }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        pending.append(contentsOf: bytes)
    }

    enum Step {
        case message([UInt8])
        case incomplete
        case tooLong
    }

    /// Takes the next message, without its zero byte.
    mutating func next() -> Step {
        guard let end = pending[searched...].firstIndex(of: 0) else {
            searched = pending.count
            return pending.count > limit ? .tooLong : .incomplete
        }
        searched = 0
        guard end <= limit else { return .tooLong }
        let message = Array(pending[..<end])
        let rest = Array(pending[(end + 1)...])
        Wiping.wipe(&pending)
        pending = rest
        return .message(message)
    }

    mutating func wipe() {
        Wiping.wipe(&pending)
        pending = []
    }
}
