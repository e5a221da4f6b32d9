import Foundation
import GRDB

@testable import Vault

/// What an attacker can do who can write the vault's file and knows the format, but has no key.
extension Database {
    func bytes(_ sql: String, _ arguments: StatementArguments = []) throws -> [UInt8] {
        Array(try Data.fetchOne(self, sql: sql, arguments: arguments) ?? Data())
    }

    /// Enters digests into the tree as the vault would, up to the root node. Only the header's MAC protects that.
    func rebuildTree(_ change: (Tree) throws -> Void) throws {
        let top = try bytes("SELECT content FROM node WHERE level = 0")
        let tree = Tree(Rows(self), root: try TreeNode.root.digest(top))
        try change(tree)
        _ = try tree.flush()
    }

    /// Puts a record in an item's place, and its digest into the tree.
    func plant(record: [UInt8], of item: ItemID) throws {
        try execute(
            sql: "INSERT OR REPLACE INTO item (id, record) VALUES (?, ?)", arguments: [Data(item.bytes), Data(record)])
        try rebuildTree { tree in try tree.set(TreeEntry.key(item: item), TreeEntry.digest(item: item, record: record))
        }
    }

    func plant(posting term: [UInt8], items: [ItemID]) throws {
        let bytes = Posting.encode(items)
        if items.isEmpty {
            try execute(sql: "DELETE FROM posting WHERE term = ?", arguments: [Data(term)])
        } else {
            try execute(
                sql: "INSERT OR REPLACE INTO posting (term, items) VALUES (?, ?)", arguments: [Data(term), Data(bytes)])
        }
        try rebuildTree { tree in try tree.set(term, items.isEmpty ? nil : TreeEntry.digest(term: term, items: bytes)) }
    }
}
