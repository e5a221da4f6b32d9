import Cryptography

/// Names one value of one field: 16 random bytes. Two machines that change a field at the same time make two of them,
/// where they would make the same version number.
struct RevisionID: Sendable, Hashable {
    static let count = 16

    let bytes: [UInt8]

    /// - Returns: nil unless there are 16 bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    private init(random bytes: [UInt8]) { self.bytes = bytes }

    static func random() throws(CryptographyError) -> RevisionID { RevisionID(random: try Random.bytes(count)) }
}
