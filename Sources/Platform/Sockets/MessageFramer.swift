/// Splits a stream into messages that end with a zero byte. It wipes its copy of each message after handing it on.
public struct MessageFramer: Sendable {
    private var pending: [UInt8] = []
    private var searched = 0

    public init() {}

    /// The number of bytes that have not been taken yet.
    public var count: Int { pending.count }

    /// Whether a whole message can be taken.
    public var hasMessage: Bool { pending[searched...].contains(0) }

    public mutating func append(_ bytes: some Collection<UInt8>) { Wipe.append(bytes, to: &pending) }

    /// The next part of the stream.
    public enum Step: Sendable {
        case message([UInt8])
        case incomplete
        case tooLong
    }

    /// Takes the next message, without its zero byte.
    /// - Parameter limit: the most bytes that it may have.
    public mutating func next(limit: Int) -> Step {
        guard let end = pending[searched...].firstIndex(of: 0) else {
            searched = pending.count
            return pending.count > limit ? .tooLong : .incomplete
        }
        searched = 0
        guard end <= limit else { return .tooLong }
        let message = Array(pending[..<end])
        let rest = Array(pending[(end + 1)...])
        Wipe.bytes(&pending)
        pending = rest
        return .message(message)
    }

    /// Wipes and drops the bytes that have not been taken.
    public mutating func wipe() {
        Wipe.bytes(&pending)
        pending = []
        searched = 0
    }
}
