import Cryptography
import SQLite

@testable import Vault

/// Damage that nobody sees before a certain row is looked for or written.
extension CircleMachine {
    /// Somebody who can write the file puts something into the tree where the entry of this row belongs.
    func damage(_ row: CircleRow) throws { try damage(TreeEntry.key(circle: row.id)) }

    /// - Parameter key: the row's, in the tree.
    func damage(_ key: [UInt8]) throws {
        try vault.close()
        try fixture.tamper { database in try database.damage(key) }
        try reopen()
    }
}

extension Connection {
    /// - Parameter key: the row's, in the tree.
    func damage(_ key: [UInt8]) throws {
        let bucket = TreeNode(level: TreeNode.bucketLevel, above: key)
        try run(
            "INSERT OR REPLACE INTO node (level, number, content) VALUES (?, ?, ?)",
            [
                .integer(Int64(bucket.level)), .integer(Int64(bucket.number)),
                .blob([UInt8](repeating: 7, count: TreeNode.entryCount)),
            ])
    }
}
