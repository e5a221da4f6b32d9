import CofferClient
import Testing

@testable import SecretService

@Suite("A deletion that may be the first half of a rename")
struct HeldDeletionTests {
    private func item(_ id: String, _ account: String) -> ItemAttributes {
        ItemAttributes(
            id: id, name: ItemName(service: "s", account: account),
            times: ItemTimes(created: Moment(milliseconds: 1), modified: Moment(milliseconds: 1)), version: 1,
            revision: "r")
    }

    @Test("An item of the same id that is added next makes it a rename")
    func rename() {
        var held = HeldDeletion()
        let number = held.hold(item("1", "a"))
        #expect(held.holds(item("1", "b")) && !held.holds(item("2", "a")))
        #expect(held.followed(by: item("1", "b")) == nil)
        #expect(held.letGo(number) == nil)
    }

    @Test("Any other event, or a moment without one, makes it a deletion, once")
    func deletion() {
        var held = HeldDeletion()
        var number = held.hold(item("1", "a"))
        #expect(held.followed(by: item("2", "b"))?.id == "1")
        #expect(held.letGo(number) == nil)
        number = held.hold(item("3", "c"))
        #expect(held.letGo(number)?.id == "3")
        #expect(held.followed(by: nil) == nil)
    }

    @Test("The moment of an earlier deletion does not end a later one")
    func later() {
        var held = HeldDeletion()
        let first = held.hold(item("1", "a"))
        #expect(held.followed(by: nil)?.id == "1")
        let second = held.hold(item("2", "b"))
        #expect(held.letGo(first) == nil)
        #expect(held.letGo(second)?.id == "2")
    }
}
