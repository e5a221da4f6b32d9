import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// Guarded values that a lost machine could read (attacker 11). Nobody can compare them, so their stamps decide. What
/// these cannot tell counts as read.
struct CircleGuardedExposureTests {
    private let group: CircleGroup
    private let presence: AccessControl
    private var desk: CircleMachine { group.machines[0] }
    private var laptop: CircleMachine { group.machines[1] }
    private var lost: CircleMachine { group.machines[2] }

    init() throws {
        group = try CircleGroup("desk", "laptop", "lost")
        presence = try AccessControl(requirements: [.userPresence])
        try desk.set("github", "", "1")
        try desk.set("bank", "", "guarded", presence)
        try group.settle()
    }

    /// - Returns: the lost machine's id.
    private func removeLost() throws -> WriterID {
        let device = try lost.view().device.id
        try desk.remove(lost)
        try desk.put(group.store)
        try exchange()
        return device
    }

    private func exchange() throws {
        for _ in 0..<3 { for machine in [desk, laptop] { try machine.sync(group.store) } }
    }

    /// What a machine says of another one: "service" for what asks nobody, "service?" for what asks there.
    private func exposed(_ device: WriterID, by machine: CircleMachine) throws -> [String] {
        try machine.vault.exposure(to: device, machine.classKeys).items
            .map { $0.name.service + ($0.asks ? "?" : "") }.sorted()
    }

    /// Another value of an item, which opens nowhere.
    private func value(
        of item: SharedItem, under access: AccessControl, _ slots: [ValueSlot], by writer: PartWriter
    ) throws -> CarriedChange {
        let sealed = [UInt8](repeating: 3, count: 92)
        let field = try #require(
            SealedField(revision: [UInt8](repeating: 4, count: 16), digest: SHA256.digest(sealed), access: access))
        return try CarriedChange(
            writer.set(.field(.secret), of: item, to: .value(field)),
            CarriedValue(
                kind: .secret, item: item.id, commitment: [UInt8](repeating: 5, count: 32), slots: slots,
                sealed: sealed))
    }

    private func slot(for device: WriterID) -> ValueSlot {
        .device(device, name: [UInt8](repeating: 6, count: 32), content: [7])
    }

    private func find(_ service: String) throws -> (writer: PartWriter, item: SharedItem) {
        let view = try desk.view()
        let item = try #require(view.state.items.first { $0.name.service == service })
        return (PartWriter(view.state, writer: view.device.id, now: 1_900_000_000_000), item)
    }

    /// A value that was kept for this machine is another one only if it was set after that.
    @Test func whatStaysHereIsListedUntilItIsSetLater() throws {
        let device = try removeLost()
        let own = presence.thisDeviceOnly
        let item = try desk.find("bank")
        desk.fixture.advance(milliseconds: 1000)
        try desk.vault.reseal(item, desk.opened(item), access: own)
        // Both at once. Whether the value was there before cannot be told.
        try desk.set("github", "", "2", own)
        try exchange()
        #expect(try laptop.names.isEmpty)
        #expect(try exposed(device, by: desk) == ["bank?", "github"])
        #expect(try exposed(device, by: laptop).isEmpty)
        for name in ["bank", "github"] { try desk.set(name, "", "new", own) }
        #expect(try exposed(device, by: desk).isEmpty)
    }

    /// A new name in one record, and a value in the next one. If it is not newer than the name, it can be the former
    /// value, sealed anew.
    @Test(arguments: [false, true]) func aValueBehindANameIsNewIfItIsNewer(isNewer: Bool) throws {
        let device = try removeLost()
        let (writer, item) = try find("bank")
        let slot = try slot(for: laptop.view().device.id)
        let later = writer.at(writer.now + (isNewer ? 1 : 0))
        try desk.give([
            .changes([CarriedChange(writer.rename(item, to: ItemName(service: "savings", account: "")))]),
            .changes([value(of: item, under: presence, [slot], by: later)]),
        ])
        #expect(try exposed(device, by: desk) == (isNewer ? ["github"] : ["bank?", "github"]))
    }

    /// Nobody knows what a slot of a later version asks for.
    @Test func aSlotOfAnUnknownKindMayAskNobody() throws {
        let device = try lost.view().device.id
        let (writer, item) = try find("bank")
        let slot = ValueSlot.unknown(kind: 200, content: [1])
        try desk.give([.changes([value(of: item, under: presence, [slot], by: writer)])])
        #expect(try exposed(device, by: desk) == ["bank", "github"])
    }

    /// What the value is sealed under decides, and not the slot that its writer has put beside it.
    @Test func aValueThatAsksNobodyIsReadWithoutAPerson() throws {
        let device = try lost.view().device.id
        let (writer, item) = try find("github")
        try desk.give([.changes([value(of: item, under: .whenUnlocked, [slot(for: device)], by: writer)])])
        #expect(try exposed(device, by: desk) == ["bank?", "github"])
    }
}
