import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// Vaults that come back to their circle. What a vault has from before is older than what the others have by now. It is
/// no edit.
struct CircleComingBackTests {
    private let store = CircleStore()
    private let presence: AccessControl

    init() throws { presence = try AccessControl(requirements: [.userPresence]) }

    private func exchange(_ machines: CircleMachine...) throws {
        for _ in 0..<3 { for machine in machines { try machine.sync(store) } }
    }

    /// Two machines that had a guarded item together. The second one has left since.
    private func parted() throws -> (desk: CircleMachine, laptop: CircleMachine) {
        let (desk, laptop) = (try CircleMachine("desk"), try CircleMachine("laptop", clock: 1_800_000_500_000))
        try desk.found()
        try desk.put(store)
        try laptop.join(desk)
        try desk.put(store)
        try desk.set("bank", "me", "secret", presence)
        try exchange(desk, laptop)
        #expect(try laptop.guarded("bank", "me") == "secret")
        try desk.remove(laptop)
        try desk.sync(store)
        try laptop.sync(store)
        try laptop.vault.forgetCircle(laptop.classKeys)
        desk.fixture.advance(milliseconds: 1000)
        return (desk, laptop)
    }

    private func comeBack(_ laptop: CircleMachine, to desk: CircleMachine) throws {
        try desk.sync(store)
        try laptop.join(desk)
        try desk.sync(store)
        try exchange(laptop, desk)
        for machine in [desk, laptop] { _ = try machine.vault.verify() }
    }

    private func bank(_ machine: CircleMachine) throws -> ItemSummary {
        try machine.vault.find(service: "bank", account: "me")
    }

    @Test func whatWasAddedToAGuardedItemStays() throws {
        let (desk, laptop) = try parted()
        var draft = try ItemDraft.make("bank", "me", "1234", presence)
        draft.field = "pin"
        try desk.vault.set(draft)
        try desk.vault.edit(bank(desk), changes: MetadataChanges(comment: "new"))
        try comeBack(laptop, to: desk)
        #expect(try bank(desk).metadata.fields.map(\.name) == [.secret, "pin"])
        for machine in [desk, laptop] { #expect(try bank(machine).metadata.comment == "new") }
        #expect(try laptop.guarded("bank", "me") == "secret")
        try desk.release()
        try exchange(desk, laptop)
        #expect(try bank(laptop).metadata.fields.map(\.name) == [.secret, "pin"])
    }

    @Test func aGuardedItemStaysAsTightAsItIs() throws {
        let (desk, laptop) = try parted()
        let both = try AccessControl(requirements: [.userPresence, .devicePasscode])
        let item = try bank(desk)
        try desk.vault.reseal(item, desk.opened(item), access: both)
        try comeBack(laptop, to: desk)
        #expect(try bank(desk).access == both)
        try desk.release()
        try exchange(desk, laptop)
        for machine in [desk, laptop] {
            #expect(try bank(machine).access == both)
            #expect(try machine.guarded("bank", "me") == "secret")
        }
    }

    @Test func aGuardedItemThatWasDeletedStaysDeleted() throws {
        let (desk, laptop) = try parted()
        try desk.vault.putAside(service: "bank", account: "me")
        try comeBack(laptop, to: desk)
        for machine in [desk, laptop] {
            #expect(try machine.names.isEmpty)
            #expect(try machine.vault.deletedItems().map(\.metadata.service) == ["bank"])
        }
    }

    /// A machine that has kept an item for itself shares it again. That is an edit, because nobody else has left.
    @Test func whatWasKeptHereIsSharedAgain() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        try desk.set("github", "", "1")
        try group.settle()
        try desk.set("github", "", "mine", .whenUnlocked.thisDeviceOnly)
        try group.settle()
        #expect(try laptop.names.isEmpty)
        try desk.set("github", "", "2")
        try group.settle()
        #expect(try group.get("github") == ["2"])
    }
}
