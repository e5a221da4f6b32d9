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

    /// The lost machine knows all that keys are made of. The store shows what it has written before its removal.
    @Test func keysThatSomebodyMakesInAnothersNameAreNotWrittenTo() throws {
        let lost = try CircleMachine("lost")
        try lost.join(desk)
        for _ in 0..<3 { for machine in [desk, laptop, lost] { try machine.sync(store) } }
        try desk.remove(lost)
        let own = try desk.view()
        let (circle, present) = (own.device.circle, try #require(own.present))
        func made() throws -> (KeyGeneration, GenerationHalves) {
            try desk.vault.newGeneration(of: circle, by: own.device.id, for: own.membership)
        }
        // Of several, members take the one with the smallest name.
        var (forged, halves) = try made()
        for _ in 0..<20_000 where present.name < forged.name { (forged, halves) = try made() }
        let keys = try #require(own.membership.members.first { $0.keys.device != own.device.id }?.keys)
        var content = PaperContent()
        content.generations = [(forged, try halves.sealed(to: keys, in: circle))]
        let envelope = try PaperSealing.seal(content, for: keys, in: circle, at: 1)
        let prepared = try lost.vault.read { (snapshot) throws(VaultError) in
            let view = try lost.vault.view(snapshot, lost.classKeys).1
            return try lost.vault.prepared(view, [], given: [], from: view, [envelope])
        }
        try lost.commit(prepared)
        try lost.put(store)
        try laptop.takeIn(store)
        try #require(try laptop.view().envelopes.count == 1)
        try desk.put(store)
        for _ in 0..<2 { for machine in [desk, laptop] { try machine.sync(store) } }
        let heard = try laptop.view()
        #expect(heard.present == present && !heard.attested.contains(forged.name))
        try laptop.set("bank", "", "since")
        for _ in 0..<2 { for machine in [laptop, desk] { try machine.sync(store) } }
        #expect(try desk.get("bank") == "since")
        let (view, name) = (try laptop.view(), forged.name)
        let counted = try #require(view.streams[view.device.id]).counted
        #expect(counted.allSatisfy { $0.record.header.generation != name })
        // A successor takes no other's word for it either.
        let new = try laptop.renewed()
        let attested = try new.view().attested
        #expect(!attested.contains(name) && attested.contains(present.name))
    }

    /// Attacker 14: nothing that a reader makes has the others write something for each member.
    @Test func aReadersOwnKeysAreSentToNobody() throws {
        let server = try reader()
        let (own, other) = (try server.view(), try desk.view().device.id)
        let (all, halves) = try server.vault.newGeneration(
            of: own.device.circle, by: own.device.id, for: own.membership)
        let generation = try KeyGeneration(
            circle: all.circle, maker: all.maker, removals: all.removals, publicHalves: all.publicHalves,
            receivers: all.receivers.filter { [own.device.id, other].contains($0.device) })
        let present = try #require(own.present)
        let key = try #require(own.halves[present.name])
        let prepared = try server.vault.read { (snapshot) throws(VaultError) in
            let view = try server.vault.view(snapshot, server.classKeys).1
            var writer = try RecordWriter(
                view.device, after: view.ownEnd, in: server.vault.run(), before: view.device)
            try writer.add(.generation(generation), (present.name, key.metadata))
            try writer.add(.profile(view.device.profile), (generation.name, halves.metadata))
            return try server.vault.finish(&writer, view, given: [])
        }
        try server.commit(prepared)
        try server.put(store)
        try desk.takeIn(store)
        let view = try desk.view()
        try #require(view.halves[generation.name] != nil)
        #expect(view.owed.isEmpty)
    }

    /// A member makes keys for all, and sends them to one machine alone. What that wrote under them, nobody else could read.
    @Test func keysThatAMemberSendsToOneAloneAreNotWrittenTo() throws {
        let own = try desk.view()
        let present = try #require(own.present)
        func made() throws -> (KeyGeneration, GenerationHalves) {
            try desk.vault.newGeneration(of: own.device.circle, by: own.device.id, for: own.membership)
        }
        var (generation, halves) = try made()
        for _ in 0..<20_000 where present.name < generation.name { (generation, halves) = try made() }
        let keys = try #require(own.membership.members.first { $0.keys.device != own.device.id }?.keys)
        var content = PaperContent()
        content.generations = [(generation, try halves.sealed(to: keys, in: own.device.circle))]
        let envelope = try PaperSealing.seal(content, for: keys, in: own.device.circle, at: 1)
        let prepared = try desk.vault.read { (snapshot) throws(VaultError) in
            let view = try desk.vault.view(snapshot, desk.classKeys).1
            return try desk.vault.prepared(view, [], given: [], from: view, [envelope])
        }
        try desk.commit(prepared)
        try desk.put(store)
        try laptop.takeIn(store)
        let view = try laptop.view()
        try #require(view.halves[generation.name] != nil)
        #expect(view.present == present)
    }

    /// Attacker 14: an answer holds 1,024 generations. A reader makes as many, and sends them to a machine that adds others.
    @Test func noReaderKeepsMachinesFromBeingAdded() throws {
        let server = try reader()
        let own = try server.view()
        let admin = try #require(own.membership.members.first { $0.role == .admin }?.keys)
        for _ in 0..<2 {
            var content = PaperContent()
            for _ in 0..<(CircleLimits.generations / 2 + 1) {
                let (all, halves) = try server.vault.newGeneration(
                    of: own.device.circle, by: own.device.id, for: own.membership)
                let small = try KeyGeneration(
                    circle: all.circle, maker: all.maker, removals: all.removals, publicHalves: all.publicHalves,
                    receivers: all.receivers.filter { $0.device == own.device.id })
                content.generations.append((small, try halves.sealed(to: admin, in: own.device.circle)))
            }
            let envelope = try PaperSealing.seal(content, for: admin, in: own.device.circle, at: 1)
            let prepared = try server.vault.read { (snapshot) throws(VaultError) in
                let view = try server.vault.view(snapshot, server.classKeys).1
                return try server.vault.prepared(view, [], given: [], from: view, [envelope])
            }
            try server.commit(prepared)
        }
        try server.put(store)
        try desk.takeIn(store)
        try desk.set("bank", "", "1")
        try #require(try desk.view().openGenerations.count > CircleLimits.generations)
        try desk.sync(store)
        let spare = try CircleMachine("spare")
        try spare.join(desk)
        try desk.sync(store)
        try spare.takeIn(store)
        #expect(try spare.get("bank") == "1")
    }

    /// A writer makes many generations that one other device knows, writes a record under each, and leaves.
    @Test func whoLeavesMakesTheOthersSendLittle() throws {
        let third = try CircleMachine("third")
        try third.join(desk)
        for _ in 0..<3 { for machine in [desk, laptop, third] { try machine.sync(store) } }
        let (own, other) = (try third.view(), try desk.view().device.id)
        let present = try #require(own.present)
        let key = try #require(own.halves[present.name])
        let prepared = try third.vault.read { (snapshot) throws(VaultError) in
            let view = try third.vault.view(snapshot, third.classKeys).1
            var writer = try RecordWriter(
                view.device, after: view.ownEnd, in: third.vault.run(), before: view.device)
            for _ in 0..<40 {
                let (all, halves) = try third.vault.newGeneration(
                    of: view.device.circle, by: view.device.id, for: view.membership)
                let generation: KeyGeneration
                do throws(CircleFormError) {
                    generation = try KeyGeneration(
                        circle: all.circle, maker: all.maker, removals: all.removals, publicHalves: all.publicHalves,
                        receivers: all.receivers.filter { [view.device.id, other].contains($0.device) })
                } catch { throw .impossible(error) }
                try writer.add(.generation(generation), (present.name, key.metadata))
                try writer.add(.profile(view.device.profile), (generation.name, halves.metadata))
            }
            return try third.vault.finish(&writer, view, given: [])
        }
        try third.commit(prepared)
        try third.remove(third)
        try third.put(store)
        try desk.takeIn(store)
        let owed = try desk.view().owed
        #expect(owed.count == 1 && owed.first?.generations.count == 32)
    }

    private func reader() throws -> CircleMachine {
        let server = try CircleMachine("server")
        let given = try desk.view().present?.name
        try server.vault.enter(
            desk.add(server.request(), as: .reader, given: given), server.profile, server.classKeys)
        for _ in 0..<3 { for machine in [desk, laptop, server] { try machine.sync(store) } }
        return server
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
