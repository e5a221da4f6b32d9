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

    private func table(of ids: [String]) -> CollectionTable {
        var table = CollectionTable(started: .now)
        table.load(
            ids.map {
                record(CollectionRecord.name(ofCollection: $0), CollectionRecord.attributes(ofCollection: $0))
            })
        return table
    }

    @Test("The default collection is the first, and the others follow by their ids")
    func order() {
        let table = table(of: ["zeta", "alpha", "Mine", "omega"])
        #expect(table.all.map(\.id) == ["login", "Mine", "alpha", "omega", "session", "zeta"])
    }

    @Test("A new collection's id is made of its label, with a number if it is taken")
    func ids() {
        let table = table(of: ["one", "two", "two_2"])
        let labels = ["one", "two", "three", "My \u{E9}!", "", String(repeating: "a", count: 50)]
        #expect(
            labels.map(table.newID(label:))
                == ["one_2", "two_3", "three", "My___", "collection", String(repeating: "a", count: 40)])
    }

    @Test("The session collection keeps its label while others come and go")
    func transient() {
        let (start, later) = (Moment(secondsSince1970: 5), Moment(secondsSince1970: 9))
        var table = CollectionTable(started: start)
        table.setTransientLabel("Mine", now: later)
        for _ in 0..<2 {
            let session = table[CollectionInfo.sessionID]
            #expect(session?.label == "Mine" && session?.created == start && session?.modified == later)
            table.load([ItemAttributes]())
        }
    }

    @Test("Only a built-in alias is kept as one that was taken away")
    func takenAway() {
        let table = table(["default": "/", "work": "/"])
        #expect(table.collection(aliased: "default") == nil && table.aliases["default"] == "/")
        #expect(table.aliases["work"] == nil && table.collection(aliased: "login")?.id == "login")
    }

    @Test("The default collection is as old as its oldest item, also after its label was set")
    func created() throws {
        let (started, older) = (Moment(secondsSince1970: 5), Moment(secondsSince1970: 0.5))
        // Records are made at 1 here.
        var table = table(of: [CollectionInfo.defaultID, "mine"])
        let login = try #require(table[CollectionInfo.defaultID])
        let mine = try #require(table["mine"])
        #expect(table.created(login, oldest: older) == older)
        #expect(table.created(login, oldest: started) == login.created && login.created < started)
        #expect(table.created(login, oldest: nil) == login.created)
        #expect(table.created(mine, oldest: older) == mine.created)
        table = CollectionTable(started: started)
        let unnamed = try #require(table[CollectionInfo.defaultID])
        #expect(table.created(unnamed, oldest: older) == older && table.created(unnamed, oldest: nil) == started)
    }
}
