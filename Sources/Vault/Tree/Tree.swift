import Cryptography

/// The authenticated tree within one transaction. It checks every node once against its parent before it trusts the
/// node.
final class Tree {
    private let rows: Rows
    private var root: [UInt8]
    /// Contents that were checked or written here. Empty if there is no such node.
    private var contents: [TreeNode: [UInt8]] = [:]
    private var changed: Set<TreeNode> = []
    /// How many nodes were read from the file.
    private(set) var readCount = 0

    /// - Parameter root: the root digest from the authenticated header.
    init(_ rows: Rows, root: [UInt8]) {
        self.rows = rows
        self.root = root
    }

    /// The digest of the row with this key; nil proves that there is no such row.
    func digest(of key: [UInt8]) throws(VaultError) -> [UInt8]? {
        let content = contents[try path(to: key)] ?? []
        let (start, isThere) = TreeEntry.place(of: key, in: content)
        return isThere ? Array(content[start + TreeNode.digestCount..<start + TreeNode.entryCount]) : nil
    }

    /// Sets a row's digest; nil removes the row.
    func set(_ key: [UInt8], _ digest: [UInt8]?) throws(VaultError) {
        let bucket = try path(to: key)
        let (start, isThere) = TreeEntry.place(of: key, in: contents[bucket] ?? [])
        let former = start..<(isThere ? start + TreeNode.entryCount : start)
        contents[bucket, default: []].replaceSubrange(former, with: digest.map { key + $0 } ?? [])
        changed.insert(bucket)
        guard changed.count >= Self.most else { return }
        root = try flush()
        contents = [:]
    }

    /// So many changed nodes are kept. Then they are written, and read again if need be, because a change can put all items
    /// that a vault can have.
    private static let most = 512

    /// Writes the changed nodes and returns the new root digest.
    func flush() throws(VaultError) -> [UInt8] {
        for level in stride(from: TreeNode.bucketLevel, through: 1, by: -1) {
            for node in changed.filter({ $0.level == level }) {
                let digest = try digest(of: node)
                var above = contents[node.parent] ?? []
                if above.isEmpty { above = [UInt8](repeating: 0, count: TreeNode.fanOut * TreeNode.digestCount) }
                above.replaceSubrange(node.placeInParent, with: digest)
                contents[node.parent] = above.allSatisfy({ $0 == 0 }) ? [] : above
                changed.insert(node.parent)
            }
        }
        for node in changed { try rows.put(node, contents[node] ?? []) }
        changed = []
        return contents[.root] == nil ? root : try digest(of: .root)
    }

    /// All entries. Checks every node.
    func all() throws(VaultError) -> (entries: [TreeEntry], nodeCount: Int) {
        var level = [TreeNode.root]
        var nodeCount = 0
        _ = try content(.root, expected: root)
        while let first = level.first, !first.isBucket {
            var below: [TreeNode] = []
            for node in level {
                guard let above = contents[node], !above.isEmpty else { continue }
                nodeCount += 1
                for index in 0..<TreeNode.fanOut {
                    let child = node.child(index)
                    // Nodes that must be absent are read too, because one that exists is damage.
                    _ = try content(child, expected: Array(above[child.placeInParent]))
                    below.append(child)
                }
            }
            level = below
        }
        var entries: [TreeEntry] = []
        for bucket in level {
            let found = try self.entries(of: bucket)
            if !found.isEmpty { nodeCount += 1 }
            entries += found
        }
        return (entries, nodeCount)
    }

    /// Checks the path from the root to a key's bucket.
    private func path(to key: [UInt8]) throws(VaultError) -> TreeNode {
        guard key.count == TreeNode.digestCount else { throw .damaged("its index has an entry of a wrong length") }
        let bucket = TreeNode(level: TreeNode.bucketLevel, above: key)
        // It was checked up to the root when it was read.
        if contents[bucket] != nil { return bucket }
        var expected = root
        for level in 0..<TreeNode.bucketLevel {
            let node = TreeNode(level: level, above: key)
            let content = try content(node, expected: expected)
            let place = TreeNode(level: level + 1, above: key).placeInParent
            expected = content.isEmpty ? TreeNode.emptyDigest : Array(content[place])
        }
        _ = try content(bucket, expected: expected)
        return bucket
    }

    private func content(_ node: TreeNode, expected: [UInt8]) throws(VaultError) -> [UInt8] {
        if let known = contents[node] { return known }
        readCount += 1
        let content = try rows.node(node) ?? []
        let digest: [UInt8]
        do throws(CryptographyError) { digest = try node.digest(content) } catch { throw VaultError(error) }
        guard digest == expected else { throw .damaged("its tree does not fit at \(node.level)/\(node.number)") }
        let lengthFits =
            node.isBucket
            ? content.count.isMultiple(of: TreeNode.entryCount)
            : content.isEmpty || content.count == TreeNode.fanOut * TreeNode.digestCount
        guard lengthFits else { throw .damaged("its tree has a node of a wrong length") }
        contents[node] = content
        return content
    }

    private func digest(of node: TreeNode) throws(VaultError) -> [UInt8] {
        do throws(CryptographyError) { return try node.digest(contents[node] ?? []) } catch { throw VaultError(error) }
    }

    private func entries(of bucket: TreeNode) throws(VaultError) -> [TreeEntry] {
        let content = contents[bucket] ?? []
        return stride(from: 0, to: content.count, by: TreeNode.entryCount).map { start in
            TreeEntry(
                key: Array(content[start..<start + TreeNode.digestCount]),
                digest: Array(content[start + TreeNode.digestCount..<start + TreeNode.entryCount]))
        }
    }
}
