import Cryptography
import Foundation
import SQLite

@testable import Vault

/// What an attacker can do who can write the vault's file and knows the format, but has no key.
extension Connection {
    /// The first value of the first row; empty if there is none.
    func bytes(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> [UInt8] {
        if case .blob(let bytes) = try rows(sql, values, limit: 1).first?.first { bytes } else { [] }
    }

    /// The first value of the first row; nil if there is none.
    func number(_ sql: String) throws(SQLiteError) -> Int? {
        if case .integer(let number) = try rows(sql, limit: 1).first?.first { Int(number) } else { nil }
    }

    /// Enters digests into the tree as the vault would, up to the root node. Only the header's MAC protects that.
    func rebuildTree(_ change: (Tree) throws -> Void) throws {
        let top = try bytes("SELECT content FROM node WHERE level = 0")
        let tree = Tree(Rows(self), root: try TreeNode.root.digest(top))
        try change(tree)
        _ = try tree.flush()
    }

    /// Makes the header fit the tree. That takes a key, so what follows stands for a mistake of Coffer's own.
    func vouch(_ keys: VaultKeys, _ change: (inout Header) -> Void = { _ in }) throws {
        var header = try Header(decoding: bytes("SELECT content FROM header"))
        header.root = try TreeNode.root.digest(bytes("SELECT content FROM node WHERE level = 0"))
        change(&header)
        let mac = try HMACSHA256.code(for: Header.macMessage(header.encoded), key: keys.integrity)
        try run("UPDATE header SET content = ?, mac = ?", [.blob(header.encoded), .blob(mac)])
    }

    /// Puts a record in an item's place, and its digest into the tree.
    func plant(record: [UInt8], of item: ItemID) throws {
        try run("INSERT OR REPLACE INTO item (id, record) VALUES (?, ?)", [.blob(item.bytes), .blob(record)])
        try rebuildTree { tree in try tree.set(TreeEntry.key(item: item), TreeEntry.digest(item: item, record: record))
        }
    }

    func plant(posting term: [UInt8], items: [ItemID]) throws {
        let bytes = Posting.encode(items)
        if items.isEmpty {
            try run("DELETE FROM posting WHERE term = ?", [.blob(term)])
        } else {
            try run("INSERT OR REPLACE INTO posting (term, items) VALUES (?, ?)", [.blob(term), .blob(bytes)])
        }
        try rebuildTree { tree in try tree.set(term, items.isEmpty ? nil : TreeEntry.digest(term: term, items: bytes)) }
    }
}
