/// Names one revision of a part: the SHA-256 of the change that made it. Nobody can make two changes of one name, and a
/// change can only replace what was there before it.
package struct RevisionName: Hashable, Sendable, Comparable {
    private let value: InlineBytes32

    /// - Returns: nil unless there are 32 bytes.
    package init?(digest: [UInt8]) {
        guard let value = InlineBytes32(digest) else { return nil }
        self.value = value
    }

    package var bytes: [UInt8] { value.bytes }

    /// The first eight bytes, as a number. Nobody makes two changes of one name, and few have this number in common.
    package var number: UInt64 { value.number }

    package static func < (one: RevisionName, other: RevisionName) -> Bool { one.value < other.value }
}
