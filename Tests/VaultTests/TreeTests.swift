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

    /// Keys that belong into many buckets.
    private func keys(_ count: Int) throws -> [[UInt8]] {
        try (0..<count).map { try SHA256.digest(Array("\($0)".utf8)) }
    }

    /// More nodes than are kept in memory are written before the change ends. The tree is the same.
    @Test func aLargeChangeIsWrittenInParts() throws {
        let keys = try keys(3_000)
        let tree = Tree(rows, root: TreeNode.emptyDigest)
        for key in keys { try tree.set(key, bytes(1)) }
        for key in keys.prefix(1_000) { try tree.set(key, bytes(2)) }
        for key in keys.suffix(500) { try tree.set(key, nil) }
        let root = try tree.flush()
        let left = keys.dropLast(500)
        for (place, key) in left.enumerated() { #expect(try tree.digest(of: key) == bytes(place < 1_000 ? 2 : 1)) }
        #expect(try Tree(rows, root: root).all().entries.count == left.count)
        // The same rows make the same tree, if they are set by several changes, too.
        let others = Rows(try Connection(path: nil))
        try others.createTables()
        var other = TreeNode.emptyDigest
        for start in stride(from: 0, to: left.count, by: 100) {
            let tree = Tree(others, root: other)
            for place in start..<min(start + 100, left.count) {
                try tree.set(left[place], bytes(place < 1_000 ? 2 : 1))
            }
            other = try tree.flush()
        }
        #expect(other == root)
    }

    /// What was written in between can be changed by who can write the file (attacker 5).
    @Test func whatWasWrittenInBetweenIsCheckedWhenItIsRead() throws {
        let keys = try keys(3_000)
        let tree = Tree(rows, root: TreeNode.emptyDigest)
        for key in keys { try tree.set(key, bytes(1)) }
        let bucket = TreeNode(level: TreeNode.bucketLevel, above: keys[0])
        try rows.put(bucket, keys[0] + bytes(9))
        #expect(vaultError { _ = try tree.digest(of: keys[0]) } == .damaged)
        #expect(vaultError { try tree.set(keys[0], bytes(2)) } == .damaged)
    }

    @Test(arguments: [0, 1, 31, 33]) func aKeyHasItsLength(count: Int) {
        let key = [UInt8](repeating: 7, count: count)
        #expect(vaultError { _ = try Tree(rows, root: TreeNode.emptyDigest).digest(of: key) } == .damaged)
        #expect(vaultError { try Tree(rows, root: TreeNode.emptyDigest).set(key, nil) } == .damaged)
    }
}
