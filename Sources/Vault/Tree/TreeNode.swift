import Authorization
import Cryptography

/// The place of a node in the tree, and its digest (docs/vault-format.md, "node").
struct TreeNode: Hashable, Sendable {
    /// The level of the buckets. The root has level 0.
    static let bucketLevel: UInt8 = 3
    static let digestCount = 32
    static let emptyDigest = [UInt8](repeating: 0, count: digestCount)
    /// `key ‖ digest`
    static let entryCount = 64
    static let fanOut = 16

    let level: UInt8
    let number: UInt16

    static let root = TreeNode(level: 0, number: 0)

    /// The node of this level on the path to a key.
    init(level: UInt8, above key: [UInt8]) {
        self.level = level
        number = (UInt16(key[0]) << 4 | UInt16(key[1]) >> 4) >> (4 * UInt16(Self.bucketLevel - level))
    }

    init(level: UInt8, number: UInt16) {
        self.level = level
        self.number = number
    }

    var isBucket: Bool { level == Self.bucketLevel }

    var parent: TreeNode { TreeNode(level: level - 1, number: number >> 4) }

    func child(_ index: Int) -> TreeNode { TreeNode(level: level + 1, number: number << 4 | UInt16(index)) }

    /// The position of this node's digest in its parent's content.
    var placeInParent: Range<Int> {
        let start = Int(number & 15) * Self.digestCount
        return start..<start + Self.digestCount
    }

    /// - Parameter content: empty if the node does not exist.
    func digest(_ content: [UInt8]) throws(CryptographyError) -> [UInt8] {
        guard !content.isEmpty else { return Self.emptyDigest }
        let head = isBucket ? [0] + BigEndian.bytes(number) : [1, level] + BigEndian.bytes(number)
        return try SHA256.digest(head + content)
    }
}

/// The key and digest of a row.
struct TreeEntry: Sendable, Equatable {
    let key: [UInt8]
    let digest: [UInt8]

    /// Where a bucket has the entry with this key, or would have it.
    ///
    /// - Parameter content: of the bucket: `key ‖ digest` for each entry, sorted by key.
    static func place(of key: [UInt8], in content: [UInt8]) -> (start: Int, isThere: Bool) {
        for start in stride(from: 0, to: content.count, by: TreeNode.entryCount) {
            var index = 0
            while index < TreeNode.digestCount, content[start + index] == key[index] { index += 1 }
            if index == TreeNode.digestCount { return (start, true) }
            if content[start + index] > key[index] { return (start, false) }
        }
        return (content.count, false)
    }

    static func key(item: ItemID) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.tree.item".utf8), item.bytes))
    }

    /// The key of the access log's entry. The entry's digest is the MAC of a record.
    static func logKey() throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.tree.log".utf8)))
    }

    /// The key of the recovery row's entry.
    static func recoveryKey() throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.tree.recovery".utf8)))
    }

    static func digest(recovery content: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.row.recovery".utf8), content))
    }

    static func key(circle id: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.tree.circle".utf8), id))
    }

    static func digest(circle id: [UInt8], content: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.row.circle".utf8), id, content))
    }

    static func digest(item: ItemID, record: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.row.item".utf8), item.bytes, record))
    }

    static func digest(term: [UInt8], items: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try SHA256.digest(LengthPrefixed.encode(Array("org.coffer.row.posting".utf8), term, items))
    }
}
