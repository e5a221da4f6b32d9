import Coffer
import Foundation
import Testing

@testable import SecretService

@Suite("collections and aliases, as the vault keeps them")
struct CollectionTableTests {
    private func record(_ name: ItemName, _ attributes: [String: String]) -> ItemAttributes {
        ItemAttributes(
            id: name.account, name: name, attributes: attributes, created: Date(timeIntervalSince1970: 1),
            modified: Date(timeIntervalSince1970: 1), version: 1, revision: name.account)
    }

    private func table(_ aliases: [String: String]) -> CollectionTable {
        var table = CollectionTable(started: .now)
        table.load([
            record(CollectionRecord.aliases, CollectionRecord.attributes(ofAliases: aliases)),
            record(CollectionRecord.name(ofCollection: "mine"), CollectionRecord.attributes(ofCollection: "mine")),
        ])
        return table
    }

    @Test("An alias of a missing collection counts for nothing, and the default collection keeps its own")
    func missing() {
        let table = table(["default": "gone", "login": "gone", "work": "gone", "own": "mine"])
        #expect(table.collection(aliased: "default")?.id == "login")
        #expect(table.collection(aliased: "login")?.id == "login")
        #expect(table.collection(aliased: "own")?.id == "mine")
        #expect(table.aliases.count == 4 && table.aliases["work"] == nil)
    }

    @Test("Only a built-in alias is kept as one that was taken away")
    func takenAway() {
        let table = table(["default": "/", "work": "/"])
        #expect(table.collection(aliased: "default") == nil && table.aliases["default"] == "/")
        #expect(table.aliases["work"] == nil && table.collection(aliased: "login")?.id == "login")
    }
}
