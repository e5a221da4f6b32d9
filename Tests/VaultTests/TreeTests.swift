import Authorization
import Cryptography
import SQLite
import Testing

@testable import Vault

/// The tree's nodes by themselves, without a vault around them.
struct TreeTests {
    private let rows: Rows

    init() throws {
        rows = Rows(try Connection(path: nil))
        try rows.createTables()
    }

    private func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: TreeNode.digestCount) }

    /// A key whose last byte is another one.
    private func key(_ byte: UInt8, ending last: UInt8) -> [UInt8] {
        [UInt8](repeating: byte, count: TreeNode.digestCount - 1) + [last]
    }

    /// A bucket is searched, and filled, in the order of its keys.
    @Test func anEntryHasItsPlaceByItsKey() {
        let content = bytes(1) + bytes(9) + bytes(3) + bytes(8)
        let places: [(key: UInt8, start: Int, isThere: Bool)] = [
            (0, 0, false), (1, 0, true), (2, 64, false), (3, 64, true), (4, 128, false),
        ]
        for place in places {
            let found = TreeEntry.place(of: bytes(place.key), in: content)
            #expect(found.start == place.start && found.isThere == place.isThere, "\(place.key)")
        }
        // The last byte decides, too.
        let found = TreeEntry.place(of: key(1, ending: 2), in: content)
        #expect(found.start == 64 && !found.isThere)
    }

    /// The same rows make the same tree in any order.
    @Test func theOrderOfChangesDoesNotMatter() throws {
        // All in one bucket.
        let keys = (0..<8).map { key(7, ending: UInt8($0)) }
        func root(_ keys: [[UInt8]]) throws -> [UInt8] {
            let rows = Rows(try Connection(path: nil))
            try rows.createTables()
            let tree = Tree(rows, root: TreeNode.emptyDigest)
            for key in keys { try tree.set(key, bytes(1)) }
            try tree.set(bytes(9), bytes(1))
            try tree.set(bytes(9), nil)
            return try tree.flush()
        }
        let expected = try root(keys)
        #expect(try root(Array(keys.reversed())) == expected)
        #expect(try root(Array(keys[4...] + keys[..<4])) == expected)
        #expect(try root([]) == TreeNode.emptyDigest)
    }

    /// Puts a bucket, and the nodes above it.
    ///
    /// - Returns: the root's digest.
    private func plant(_ content: [UInt8], _ bucket: TreeNode) throws -> [UInt8] {
        try rows.put(bucket, content)
        var (node, digest) = (bucket, try bucket.digest(content))
        while node != .root {
            var above = [UInt8](repeating: 0, count: TreeNode.fanOut * TreeNode.digestCount)
            above.replaceSubrange(node.placeInParent, with: digest)
            node = node.parent
            try rows.put(node, above)
            digest = try node.digest(above)
        }
        return digest
    }

    /// Nobody can make these without the header's key. They must not become reads beyond a node's end.
    @Test func aNodeHasItsLength() throws {
        let bucket = TreeNode(level: TreeNode.bucketLevel, above: bytes(1))
        let good = try plant(bytes(1) + bytes(9), bucket)
        #expect(try Tree(rows, root: good).digest(of: bytes(1)) == bytes(9))
        #expect(try Tree(rows, root: good).all().entries.count == 1)
        // Each node on the way from the root to the bucket was read once.
        let tree = Tree(rows, root: good)
        for _ in 0..<2 { #expect(try tree.digest(of: bytes(1)) == bytes(9)) }
        #expect(tree.readCount == Int(TreeNode.bucketLevel) + 1)
        // No other root leads there.
        #expect(vaultError { _ = try Tree(rows, root: bytes(5)).all() } == .damaged)
        #expect(vaultError { _ = try Tree(rows, root: bytes(5)).digest(of: bytes(1)) } == .damaged)
        // Half an entry more.
        let long = try plant(bytes(1) + bytes(9) + bytes(3), bucket)
        #expect(vaultError { _ = try Tree(rows, root: long).digest(of: bytes(1)) } == .damaged)
        #expect(vaultError { _ = try Tree(rows, root: long).all() } == .damaged)
        // The root has twice its length.
        let above = [UInt8](repeating: 0, count: 2 * TreeNode.fanOut * TreeNode.digestCount)
        try rows.put(.root, above)
        let root = try TreeNode.root.digest(above)
        #expect(vaultError { _ = try Tree(rows, root: root).digest(of: bytes(1)) } == .damaged)
    }

    @Test(arguments: [0, 1, 31, 33]) func aKeyHasItsLength(count: Int) {
        let key = [UInt8](repeating: 7, count: count)
        #expect(vaultError { _ = try Tree(rows, root: TreeNode.emptyDigest).digest(of: key) } == .damaged)
        #expect(vaultError { try Tree(rows, root: TreeNode.emptyDigest).set(key, nil) } == .damaged)
    }
}
