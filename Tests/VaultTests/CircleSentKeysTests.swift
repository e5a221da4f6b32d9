import Authorization
import Circle
import Cryptography
import Item
import TestSupport
import Testing

@testable import Vault

/// Keys of a generation that its maker sends to a member later, because it did not know of that member (attackers 11 and 13).
struct CircleSentKeysTests {
    private let store = CircleStore()
    private let desk: CircleMachine
    private let laptop: CircleMachine

    init() throws {
        (desk, laptop) = (try CircleMachine("desk"), try CircleMachine("laptop", clock: 1_800_000_500_000))
        try desk.found()
        try laptop.join(desk)
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(store) } }
    }

    private func sign(_ prepared: PreparedRecords, of machine: CircleMachine) throws -> [UInt8] {
        let signing = prepared.signing
        return try machine.fixture.sealer.sign(
            prepared.digest, with: signing.key, point: signing.point, password: signing.password,
            record: machine.fixture.record)
    }

    /// Each member knows the public keys of all. It seals junk under the name of keys that are still on their way.
    @Test func whatSomebodyElseSealsTakesNoPlace() throws {
        let (own, other) = (try desk.view(), try laptop.view().device.id)
        let (generation, _) = try desk.vault.newGeneration(
            of: own.device.circle, by: own.device.id, for: own.membership)
        var content = PaperContent()
        content.generations = [(generation, try KeyGeneration.Receiver(other, sealed: Random.bytes(276)))]
        let keys = try #require(own.membership.members.first { $0.keys.device == other }?.keys)
        let envelope = try PaperSealing.seal(content, for: keys, in: own.device.circle, at: 1)
        let prepared = try desk.vault.read { (snapshot) throws(VaultError) in
            let view = try desk.vault.view(snapshot, desk.classKeys).1
            return try desk.vault.prepared(view, [], given: [], from: view, [envelope])
        }
        try desk.commit(prepared)
        try desk.give([.generation(generation)])
        try desk.put(store)
        try laptop.takeIn(store)
        let view = try laptop.view()
        #expect(view.envelopes.count == 1 && view.generations[generation.name] != nil)
        #expect(view.halves[generation.name] != nil)
    }

    @Test func aSuspendedDeviceIsSentNone() throws {
        let third = try CircleMachine("third")
        try third.join(desk)
        for _ in 0..<3 { for machine in [desk, laptop, third] { try machine.sync(store) } }
        try desk.remove(third)
        try desk.set("bank", "", "since")
        try desk.sync(store)
        let new = try laptop.renewed()
        try new.sync(store)
        try desk.takeIn(store)
        let device = try new.view().device.id
        #expect(try desk.view().owed.map(\.member.device) == [device])
        // Its broker was taken over, and signs two heads of one number.
        var (heads, segments): ([[UInt8]], [[UInt8]]) = ([], [])
        for value in ["one", "other"] {
            try new.set("a", "", value)
            try new.takeIn(store)
            let prepared = try #require(try new.vault.giveOut(heads: store.heads, new.classKeys))
            heads.append(
                SignedHead(prepared.head, signature: SignedStatement.lower(try sign(prepared, of: new))).bytes)
            segments += prepared.segments.map(\.bytes)
        }
        _ = try desk.vault.takeIn(heads: heads, segments: segments, desk.classKeys)
        let view = try desk.view()
        try #require(view.streams[device]?.isSuspended == true)
        #expect(view.owed.isEmpty)
    }
}
