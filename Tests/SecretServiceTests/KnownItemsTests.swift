import Coffer
import Foundation
import Testing

@testable import SecretService

@Suite("the vault's items, as replies and events tell them")
struct KnownItemsTests {
    /// A state of the one item. Times say nothing about the order: the clock goes back with each state.
    private func state(_ number: Int, version: Int = 1) -> ItemAttributes {
        ItemAttributes(
            id: "a", name: ItemName(service: "s", account: "a"), label: "\(number)",
            created: Date(timeIntervalSince1970: 0), modified: Date(timeIntervalSince1970: 1000 - Double(number)),
            version: version, revision: "r\(number)")
    }

    @Test("After the clock was set back, replies and events still count")
    func clock() {
        var known = KnownItems()
        #expect(known.take(event: state(1)) == true)
        let write = known.writeBegins()
        #expect(known.take(reply: state(2), to: write) && known["a"] == state(2))
        known.writeEnds()
        #expect(known.take(event: state(2)) == false)
        #expect(known.take(event: state(3)) && known["a"] == state(3))
    }

    @Test("Events that are older than a reply are passed over, until its own comes")
    func late() {
        var known = KnownItems()
        #expect(known.take(event: state(1)) == true)
        let write = known.writeBegins()
        #expect(known.take(reply: state(3), to: write) == true)
        known.writeEnds()
        #expect(!known.take(event: state(2)) && known.take(deletionOf: "a") == nil && known["a"] == state(3))
        #expect(!known.take(event: state(3)) && known.take(event: state(4)) && known["a"] == state(4))
    }

    @Test("A reply that comes after its event, or after later ones, changes nothing")
    func early() {
        var known = KnownItems()
        let write = known.writeBegins()
        #expect(known.take(event: state(1)) && known.take(event: state(2)))
        #expect(!known.take(reply: state(1), to: write) && known["a"] == state(2))
        #expect(known.take(event: state(3)) && known.take(deletionOf: "a") == state(3))
        #expect(!known.take(reply: state(3), to: write) && known["a"] == nil)
        known.writeEnds()
    }

    @Test("What was deleted here and put back from the bin is there again")
    func back() {
        var known = KnownItems()
        #expect(known.take(event: state(1)) && known.delete("a") == state(1))
        // Older than the deletion.
        #expect(!known.take(event: state(2)) && known["a"] == nil)
        known.heard(deletionOf: "a")
        #expect(known.take(event: state(3)) && known["a"] == state(3))
    }

    @Test("A state that was known before and is replaced while a reply tells it does not come back")
    func replaced() {
        var known = KnownItems()
        #expect(known.take(event: state(1)) == true)
        let write = known.writeBegins()
        #expect(known.take(event: state(2)) == true)
        #expect(!known.take(reply: state(1), to: write) && known["a"] == state(2))
        known.writeEnds()
        #expect(known.take(event: state(3)) == true)
    }

    @Test("An item that this provider deletes stays away, until the events have told it")
    func deleted() {
        var known = KnownItems()
        #expect(known.take(event: state(1)) == true)
        #expect(known.delete("a") == state(1) && known.delete("a") == nil)
        #expect(!known.take(event: state(2)) && known["a"] == nil)
        #expect(known.take(deletionOf: "a") == nil)
        #expect(known.take(event: state(3)) && known["a"] == state(3))
    }

    @Test("Events are remembered until the last write has its reply")
    func overlapping() {
        var known = KnownItems()
        let first = known.writeBegins()
        _ = known.writeBegins()
        #expect(known.take(event: state(1)) && known.take(event: state(2)))
        known.writeEnds()
        #expect(!known.take(reply: state(1), to: first) && known["a"] == state(2))
        known.writeEnds()
        // The next write is like the first one.
        let next = known.writeBegins()
        #expect(known.take(event: state(3)) && known.take(event: state(4)))
        #expect(!known.take(reply: state(3), to: next) && known["a"] == state(4))
        known.writeEnds()
    }

    @Test("An item that is gone does not come back by a reply that tells its last state")
    func gone() {
        var known = KnownItems()
        #expect(known.take(event: state(1)) == true)
        let write = known.writeBegins()
        #expect(known.take(deletionOf: "a") == state(1))
        #expect(!known.take(reply: state(1), to: write) && known["a"] == nil)
        known.writeEnds()
    }

    @Test("After a deletion here, no event about a former reply is awaited")
    func replyBeforeDeletion() {
        var known = KnownItems()
        let write = known.writeBegins()
        #expect(known.take(reply: state(2), to: write) == true)
        known.writeEnds()
        #expect(known.delete("a") == state(2) && known.take(deletionOf: "a") == nil)
        #expect(known.take(event: state(3)) && known["a"] == state(3))
    }

    @Test("A new list ends what was awaited, and tells a state once")
    func listed() {
        var known = KnownItems()
        let write = known.writeBegins()
        #expect(known.take(reply: state(3), to: write) == true)
        known.writeEnds()
        #expect(known.list(["a"]).count == 0)
        #expect(known.take(listed: state(1)) && !known.take(listed: state(1)))
        #expect(known.take(event: state(2)) && known.delete("a") == state(2))
        // It was deleted here, and is listed again.
        #expect(known.list(["a"]).count == 0)
        #expect(known.take(listed: state(4)) && known.take(event: state(5)) && known["a"] == state(5))
    }

    @Test("A new list counts, and nothing is awaited that may never come")
    func list() {
        var known = KnownItems()
        let write = known.writeBegins()
        #expect(known.take(reply: state(2), to: write) == true)
        #expect(known.list(["a"]).count == 0)
        #expect(known.take(listed: state(1)) && known.take(event: state(2)))
        // Its reply may be older than the list, or newer.
        #expect(known.take(reply: state(1, version: 0), to: write) == false)
        #expect(known.take(reply: state(3), to: write) && known.take(event: state(4)))
        known.writeEnds()
        #expect(known.list([]).map(\.item) == [state(4)] && known.items.isEmpty)
    }
}
