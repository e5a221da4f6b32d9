import Authorization
import Circle
import Item
import Testing

@testable import Vault

/// What a release makes slots for, and which of them a vault keeps until it has said them.
struct CircleReleaseTests {
    private let store = CircleStore()
    private let presence: AccessControl
    private let desk: CircleMachine
    private let laptop: CircleMachine

    init() throws {
        presence = try AccessControl(requirements: [.userPresence])
        desk = try CircleMachine("desk")
        laptop = try CircleMachine("laptop", clock: 1_800_000_500_000)
        try desk.set("bank", "me", "secret", presence)
        try desk.set("mine", "me", "local", presence.thisDeviceOnly)
        try desk.found()
        try desk.put(store)
        try laptop.join(desk)
        for machine in [desk, laptop, desk] { try machine.sync(store) }
    }

    /// How many values have slots that were not said yet.
    private func offered() throws -> Int {
        try desk.vault.read { (snapshot) throws(VaultError) in try CircleMaterial(snapshot)?.offered.count ?? 0 }
    }

    private func release(_ service: String, _ agreements: Agreements) throws {
        let item = try desk.find(service, "me")
        try desk.vault.release([item], to: [laptop.view().device.id], desk.classKeys, agreements: agreements)
    }

    private func agreements(_ service: String) throws -> Agreements {
        try desk.fixture.agreements(desk.vault, desk.find(service, "me"))
    }

    /// Its person may be asked all the same, by a broker that was taken over.
    @Test func whatStaysOnOneMachineIsReleasedToNobody() throws {
        try release("mine", agreements("mine"))
        #expect(try offered() == 0)
        try release("bank", agreements("bank"))
        #expect(try offered() == 1)
    }

    /// Nobody is asked for a value that the machine can read already.
    @Test func whatWasReleasedNeedsNoPersonAgain() throws {
        #expect(throws: VaultError.self) { try release("bank", [:]) }
        try release("bank", agreements("bank"))
        try release("bank", [:])
        #expect(try offered() == 1)
    }

    /// An item is shared whole. Until its other value is released, the slots of the one that has some are kept.
    @Test func slotsAreKeptUntilTheyAreSaid() throws {
        var pin = ItemDraft(service: "bank", account: "me", value: try secret("1234"), access: presence)
        pin.field = "pin"
        desk.fixture.advance(milliseconds: 1000)
        try desk.vault.set(pin)
        #expect(try offered() == 1)
        #expect(try desk.takeIn(store).obstacles["to-release"] == 1)
        #expect(try offered() == 1)
    }

    @Test func whoWasRemovedReleasesNothing() throws {
        try desk.remove(laptop)
        try desk.put(store)
        try laptop.takeIn(store)
        #expect(
            vaultError { try laptop.vault.release([], to: [], laptop.classKeys, agreements: [:]) } == .invalidArgument)
    }
}
