import CofferClient
import Cryptography
import Foundation
import Testing

@testable import SecretService

@Suite("finding items by their attributes")
struct ItemIndexTests {
    private func item(_ number: Int, _ attributes: [String: String], expires: Moment? = nil) throws -> ServiceItem {
        ServiceItem(
            id: "i\(number)", collection: number % 2 == 0 ? "login" : "other", label: "", attributes: attributes,
            created: .init(secondsSince1970: Double(number)),
            modified: .init(secondsSince1970: Double(number)),
            expires: expires, place: .memory(try SecretBytes(copying: []), contentType: ""))
    }

    /// Each has an application that all have, a server that a hundred have, and a user of its own.
    private func tenThousand() throws -> ItemIndex {
        var index = ItemIndex()
        for number in 0..<10_000 {
            index.insert(
                try item(number, ["application": "x", "server": "s\(number / 100)", "user": "u\(number)"]))
        }
        return index
    }

    @Test("A search in 10,000 items looks only at those with its rarest attribute")
    func work() throws {
        let index = try tenThousand()
        let one = index.search(["application": "x", "server": "s42", "user": "u4217"])
        #expect(one.items.map(\.id) == ["i4217"] && one.examined == 1)
        let some = index.search(["application": "x", "server": "s42"])
        #expect(some.items.count == 100 && some.examined == 100)
        #expect(index.search(["application": "x", "user": "nobody"]).examined == 0)
        #expect(index.search(["application": "x", "server": "s42"], in: "other").items.count == 50)
        let time = ContinuousClock().measure {
            for _ in 0..<100 { _ = index.search(["application": "x", "server": "s42", "user": "u4217"]) }
        }
        print("search by attributes in 10,000 items: \(time / 100)")
    }

    @Test("No attributes match nothing, and replace nothing")
    func empty() throws {
        var index = ItemIndex()
        index.insert(try item(0, [:]))
        #expect(index.search([:]).items.isEmpty)
        #expect(index.identical(to: [:], in: "login") == nil)
    }

    @Test("Only exactly the same attributes are replaced, in the same collection, byte by byte")
    func identical() throws {
        var index = ItemIndex()
        index.insert(try item(0, ["a": "1", "b": "2"]))
        #expect(index.identical(to: ["a": "1", "b": "2"], in: "login")?.id == "i0")
        #expect(index.identical(to: ["a": "1"], in: "login") == nil)
        #expect(index.identical(to: ["a": "1", "b": "2", "c": "3"], in: "login") == nil)
        #expect(index.identical(to: ["a": "1", "b": "2"], in: "other") == nil)
        // The same letter, once as one character and once as two.
        index.insert(try item(2, ["name": "\u{E9}"]))
        #expect(index.search(["name": "e\u{301}"]).items.isEmpty)
        #expect(index.search(["name": "\u{E9}"]).items.map(\.id) == ["i2"])
    }

    @Test("A change or a removal leaves no trace, and what has expired is not found")
    func changes() throws {
        var index = ItemIndex()
        index.insert(try item(0, ["a": "1"]))
        index.insert(try item(0, ["a": "2"]))
        #expect(index.search(["a": "1"]).examined == 0)
        #expect(index.search(["a": "2"]).items.count == 1)
        index.remove("i0")
        #expect(index.search(["a": "2"]).examined == 0 && index.count(of: "login") == 0)
        index.insert(try item(2, ["a": "3"], expires: Moment(secondsSince1970: 100)))
        #expect(index.search(["a": "3"], now: Moment(secondsSince1970: 99)).items.count == 1)
        #expect(index.search(["a": "3"], now: Moment(secondsSince1970: 100)).items.isEmpty)
    }

    @Test("A collection has changed when its newest item was, or when one was removed")
    func collections() throws {
        var index = ItemIndex()
        for number in [2, 8, 4] { index.insert(try item(number, ["a": "1"])) }
        #expect(index.lastChange(of: "login") == Moment(secondsSince1970: 8))
        index.remove("i8", now: Moment(secondsSince1970: 20))
        #expect(index.lastChange(of: "login") == Moment(secondsSince1970: 20))
        index.remove("i2", now: Moment(secondsSince1970: 10))
        #expect(index.lastChange(of: "login") == Moment(secondsSince1970: 20))
        #expect(index.lastChange(of: "other") == .distantPast)
    }

    private func item(_ id: String, in collection: String = "login", created: Double, modified: Double = 1) throws
        -> ServiceItem
    {
        ServiceItem(
            id: id, collection: collection, label: "", attributes: ["a": "1"],
            created: .init(secondsSince1970: created), modified: .init(secondsSince1970: modified), expires: nil,
            place: .memory(try SecretBytes(copying: []), contentType: ""))
    }

    @Test("An item that is changed tells when, and one that moves changes both collections")
    func moved() throws {
        var index = ItemIndex()
        index.insert(try item("x", created: 1, modified: 8))
        index.insert(try item("x", created: 1, modified: 9))
        #expect(index.lastChange(of: "login") == Moment(secondsSince1970: 9))
        index.insert(try item("x", in: "other", created: 1, modified: 9))
        #expect(index.lastChange(of: "login") > Moment(secondsSince1970: 9))
        #expect(index.lastChange(of: "other") == Moment(secondsSince1970: 9))
        #expect(index.count(of: "login") == 0 && index.count(of: "other") == 1)
    }

    @Test("What is removed takes no other item of its attributes along")
    func shared() throws {
        var index = ItemIndex()
        for number in [2, 4, 6] { index.insert(try item(number, ["a": "1"])) }
        index.remove("i2")
        #expect(index.search(["a": "1"]).items.map(\.id) == ["i6", "i4"])
    }

    @Test("Each attribute of a query counts")
    func pairs() throws {
        var index = ItemIndex()
        index.insert(try item(2, ["a": "1"]))
        index.insert(try item(4, ["b": "1"]))
        #expect(index.search(["a": "1", "b": "1"]).items.isEmpty)
        index.insert(try item(6, ["a": "1", "b": "1"]))
        #expect(index.search(["a": "1", "b": "1"]).items.map(\.id) == ["i6"])
    }

    @Test("The items of a collection come in the order in which they were made")
    func list() throws {
        var index = ItemIndex()
        for (id, created) in [("d", 5.0), ("b", 5), ("c", 1), ("a", 9), ("e", 5)] {
            index.insert(try item(id, created: created))
        }
        #expect(index.items(of: "login").map(\.id) == ["c", "b", "d", "e", "a"])
    }

    @Test("The item that was changed last comes first")
    func order() throws {
        var index = ItemIndex()
        for number in [2, 8, 4] { index.insert(try item(number, ["a": "1"])) }
        #expect(index.search(["a": "1"]).items.map(\.id) == ["i8", "i4", "i2"])
    }

    @Test("The oldest item of a collection counts, also after it has expired")
    func oldest() throws {
        var index = ItemIndex()
        #expect(index.oldest(of: "login") == nil)
        for number in [8, 4, 6] { index.insert(try item(number, ["a": "1"], expires: Moment(secondsSince1970: 9))) }
        index.insert(try item(3, ["a": "1"]))
        #expect(index.oldest(of: "login") == Moment(secondsSince1970: 4))
        index.remove("i4")
        #expect(index.oldest(of: "login") == Moment(secondsSince1970: 6))
    }
}
