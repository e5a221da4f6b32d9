import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

/// Machines that have changed the same thing at the same time, each with a broker of its own.
@Suite(.timeLimit(.minutes(30)))
struct SharingConflictTests {
    private static let (before, ofDesk, ofLaptop) = ("YmVmb3Jl", "b2YgZGVzaw==", "b2YgbGFwdG9w")

    private struct Machines {
        let desk: CirclePeer
        let laptop: CirclePeer
        var folder = SharedFolder()

        /// Each takes in what the other has given out.
        mutating func settle() async throws {
            for _ in 0..<2 { for peer in [desk, laptop] { try await peer.sync(&folder) } }
        }

        func stop() async { for peer in [desk, laptop] { await peer.stop() } }
    }

    private func conflicting() async throws -> Machines {
        var machines = Machines(desk: try await CirclePeer("desk"), laptop: try await CirclePeer("laptop"))
        try await machines.desk.found()
        try await machines.desk.set("a", Self.before)
        try await machines.desk.add(machines.laptop)
        try await machines.settle()
        try await machines.desk.set("a", Self.ofDesk)
        try await machines.laptop.set("a", Self.ofLaptop)
        try await machines.settle()
        return machines
    }

    private func resolve(_ conflict: Sync.Conflict, _ take: String, both: Bool? = nil) -> Sync.Resolve {
        Sync.Resolve(item: conflict.item, part: conflict.part, name: conflict.name, take: take, both: both)
    }

    private func get(_ revision: String, account: String = "a", version: Int64? = nil) -> Keychain.Get {
        Keychain.Get(service: "s", account: account, version: version, revision: revision)
    }

    @Test func aConflictIsListedReadAndDecided() async throws {
        var machines = try await conflicting()
        let (desk, laptop) = (machines.desk, machines.laptop)
        var revisions: [Sync.Revision] = []
        for peer in [desk, laptop] {
            let reply = try await peer.client.call(Sync.Conflicts())
            let conflict = try #require(reply.conflicts.first)
            #expect(reply.conflicts.count == 1 && reply.next == nil)
            #expect(conflict.service == "s" && conflict.account == "a" && conflict.kind == .genericPassword)
            #expect(conflict.part == "field" && conflict.name == "secret" && conflict.beyond == 0)
            #expect(conflict.item == (try await peer.client.call(Keychain.Show(service: "s", account: "a"))).item.id)
            #expect(conflict.revisions.map(\.machine) == ["laptop", "desk"])
            #expect(conflict.revisions.map(\.shown) == [true, false])
            // There is nothing of a value.
            #expect(
                conflict.revisions.allSatisfy {
                    $0.text == nil && $0.account == nil && $0.expires == nil && !$0.unreadable && $0.same == nil
                })
            #expect(try await peer.state().conflicts == 1)
            #expect(try await peer.take(machines.folder).conflicts == 1)
            revisions = conflict.revisions
            // The same for the item alone, and none for another one.
            #expect(try await peer.client.call(Sync.Conflicts(item: conflict.item)).conflicts == reply.conflicts)
            let other = "00000000-0000-0000-0000-000000000000"
            #expect(try await peer.client.call(Sync.Conflicts(item: other)).conflicts.isEmpty)
            #expect(try await peer.client.call(get(revisions[0].id)).value == Self.ofLaptop)
            #expect(try await peer.client.call(get(revisions[1].id)).value == Self.ofDesk)
        }
        let reads = try await desk.client.call(Keychain.Log()).records.filter { $0.event == "read" }
        #expect(reads.count == 2 && reads.allSatisfy { $0.account == "a" && $0.outcome == "done" })
        let conflict = try #require(try await laptop.client.call(Sync.Conflicts()).conflicts.first)
        #expect(try await laptop.client.call(resolve(conflict, revisions[1].id)).fields.isEmpty)
        #expect(try await laptop.get("a") == Self.ofDesk)
        #expect(try await laptop.state().conflicts == 0)
        let note = try #require(try await laptop.shares().last)
        #expect(note.account == "a" && note.service == "s" && note.item == conflict.item && note.outcome == "done")
        #expect(note.detail == "decided: field secret")
        try await machines.settle()
        for peer in [desk, laptop] {
            #expect(try await peer.get("a") == Self.ofDesk)
            #expect(try await peer.client.call(Sync.Conflicts()).conflicts.isEmpty)
            #expect(try await peer.state().conflicts == 0)
        }
        #expect(try await desk.state().digest == laptop.state().digest)
        await machines.stop()
    }

    @Test func bothAreKept() async throws {
        var machines = try await conflicting()
        let conflict = try #require(try await machines.desk.client.call(Sync.Conflicts()).conflicts.first)
        let fields = try await machines.desk.client.call(resolve(conflict, conflict.revisions[0].id, both: true)).fields
        #expect(fields == ["secret-desk"])
        try await machines.settle()
        for peer in [machines.desk, machines.laptop] {
            #expect(try await peer.get("a") == Self.ofLaptop)
            let kept = Keychain.Get(service: "s", account: "a", field: "secret-desk")
            #expect(try await peer.client.call(kept).value == Self.ofDesk)
        }
        #expect(try await machines.desk.shares().last?.detail == "decided: field secret, secret-desk")
        await machines.stop()
    }

    @Test func textsAreShown() async throws {
        var machines = try await conflicting()
        for peer in [machines.desk, machines.laptop] {
            _ = try await peer.client.call(
                Keychain.Edit(
                    service: "s", account: "a", label: peer.name, expires: peer.name == "desk" ? 4 << 40 : 5 << 40))
        }
        try await machines.settle()
        let listed = try await machines.desk.client.call(Sync.Conflicts()).conflicts
        #expect(listed.map(\.part) == ["label", "expiry", "field"])
        #expect(listed[0].revisions.map(\.text) == ["laptop", "desk"] && listed[0].name == nil)
        #expect(listed[1].revisions.map(\.expires) == [5 << 40, 4 << 40])
        let both = Sync.Resolve(item: listed[0].item, part: "label", take: listed[0].revisions[1].id, both: true)
        #expect(try await fault { try await machines.desk.client.call(both) }.name == .invalidArgument)
        _ = try await machines.desk.client.call(resolve(listed[0], listed[0].revisions[1].id))
        try await machines.settle()
        let shown = try await machines.laptop.client.call(Keychain.Show(service: "s", account: "a")).item
        #expect(shown.label == "desk")
        await machines.stop()
    }

    // MARK: Attackers 3 and 4

    /// What is no value could be told without keys.
    @Test func aLockedVaultListsAndDecidesNothing() async throws {
        var machines = Machines(desk: try await CirclePeer("desk"), laptop: try await CirclePeer("laptop"))
        try await machines.desk.found()
        try await machines.desk.set("a", Self.before)
        try await machines.desk.add(machines.laptop)
        try await machines.settle()
        for peer in [machines.desk, machines.laptop] {
            _ = try await peer.client.call(Keychain.Edit(service: "s", account: "a", label: peer.name))
        }
        try await machines.settle()
        let client = machines.desk.client
        let conflict = try #require(try await client.call(Sync.Conflicts()).conflicts.first)
        _ = try await client.call(Keychain.Lock())
        #expect(try await fault { try await client.call(Sync.Conflicts()) }.name == .locked)
        let call = resolve(conflict, conflict.revisions[1].id)
        #expect(try await fault { try await client.call(call) }.name == .locked)
        #expect(try await client.call(Keychain.Show(service: "s", account: "a")).item.label == "laptop")
        await machines.stop()
    }

    @Test func whatIsNotThereIsRefused() async throws {
        let machines = try await conflicting()
        let client = machines.desk.client
        let conflict = try #require(try await client.call(Sync.Conflicts()).conflicts.first)
        let (item, good) = (conflict.item, conflict.revisions[1].id)
        let unknown = String(repeating: "ab", count: 32)
        for (call, name) in [
            (Sync.Resolve(item: item, part: "field", name: "secret", take: unknown), Fault.Name.changed),
            (Sync.Resolve(item: item, part: "field", name: "pin", take: good), .changed),
            (Sync.Resolve(item: item, part: "label", take: good), .changed),
            (
                Sync.Resolve(item: "00000000-0000-0000-0000-000000000000", part: "field", name: "secret", take: good),
                .changed
            ),
            (Sync.Resolve(item: item.uppercased(), part: "field", name: "secret", take: good), .invalidArgument),
            (Sync.Resolve(item: "", part: "field", name: "secret", take: good), .invalidArgument),
            (Sync.Resolve(item: item, part: "access", take: good), .invalidArgument),
            (Sync.Resolve(item: item, part: "bin", take: good), .invalidArgument),
            (Sync.Resolve(item: item, part: "field", take: good), .invalidArgument),
            (Sync.Resolve(item: item, part: "label", name: "x", take: good), .invalidArgument),
            (Sync.Resolve(item: item, part: "attribute", name: "", take: good), .invalidArgument),
            (Sync.Resolve(item: item, part: "field", name: "secret", take: "ab"), .invalidArgument),
        ] {
            #expect(try await fault { try await client.call(call) }.name == name, "\(call)")
        }
        for (call, name) in [
            (get(unknown), Fault.Name.changed), (get("zz"), .invalidArgument),
            (get(good, version: 1), .invalidArgument),
            (get(good, account: "b"), .notFound),
        ] {
            #expect(try await fault { try await client.call(call) }.name == name, "\(call)")
        }
        for call in [Sync.Conflicts(after: "x"), Sync.Conflicts(item: "x")] {
            #expect(try await fault { try await client.call(call) }.name == .invalidArgument)
        }
        #expect(try await client.call(Sync.Conflicts()).conflicts == [conflict])
        #expect(try await machines.desk.get("a") == Self.ofLaptop)
        await machines.stop()
    }

    /// Another item's name opens nothing, and neither does a lock.
    @Test func aLostValueIsGuardedLikeTheItem() async throws {
        let machines = try await conflicting()
        let client = machines.desk.client
        let conflict = try #require(try await client.call(Sync.Conflicts()).conflicts.first)
        let lost = conflict.revisions[1].id
        try await machines.desk.set("b", Self.before)
        #expect(try await fault { try await client.call(get(lost, account: "b")) }.name == .changed)
        _ = try await client.call(Keychain.Lock())
        #expect(try await fault { try await client.call(get(lost)) }.name == .locked)
        #expect(try await fault { try await client.call(Sync.Conflicts()) }.name == .locked)
        #expect(try await fault { try await client.call(resolve(conflict, lost)) }.name == .locked)
        #expect(try await machines.desk.state().conflicts == 1)
        await machines.stop()
    }
}
