import BrokerProtocol
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// What the broker says of other machines, in the library's types.
@Suite("What a broker tells of other machines")
struct BrokerSharingTests {
    private static let own = Sync.Machine(device: "d0", name: "here", role: "admin", own: true, heard: 1)

    private static func joined(
        _ machines: [Sync.Machine] = [own], pending: Int64 = 0, conflicts: Int64? = 0
    ) -> FakeServer.Step {
        .answer(
            Sync.State.Reply(
                circle: "c1", machines: machines, joined: true, pending: pending, conflicts: conflicts))
    }

    private static func other(_ seen: Bool?) -> Sync.Machine {
        Sync.Machine(device: "d1", name: "there", role: "writer", heard: 1, seen: seen)
    }

    @Test("the other machines, and what waits, are told as they are")
    func state() async throws {
        let machines = [Self.own, Self.other(true), Sync.Machine(device: "d2", role: "reader")]
        let broker = try PlayedBroker(["State": [Self.joined(machines, pending: 3, conflicts: 2)]])
        let state = try await broker.backend.sharing(in: .own)
        #expect(state.circle == "c1" && state.pending == 3 && state.conflicts == 2 && state.ownDevice == "d0")
        #expect(
            state.machines == [
                SharingState.Machine(id: "d1", name: "there", isHeard: true, hasTakenAll: true),
                SharingState.Machine(id: "d2", name: nil, isHeard: false, hasTakenAll: false),
            ])
        // One that has only asked to join is in none.
        let asking = try PlayedBroker(["State": [.answer(Sync.State.Reply(circle: "c1", joined: false))]])
        #expect(try await asking.backend.sharing(in: .own).circle == nil)
    }

    @Test("something was heard if there is nobody else, or one of them")
    func heard() {
        func machine(_ isHeard: Bool) -> SharingState.Machine {
            SharingState.Machine(id: "d", name: nil, isHeard: isHeard, hasTakenAll: false)
        }
        #expect(SharingState().hasHeard)
        #expect(SharingState(circle: "c", machines: [machine(false), machine(true)]).hasHeard)
        #expect(!SharingState(circle: "c", machines: [machine(false)]).hasHeard)
    }

    /// What the broker answers about the item, and what that means.
    private static var answers: [(step: FakeServer.Step, sharing: ItemSharing)] {
        [
            (.fault(.invalidArgument, "it is not shared"), .local), (joined(pending: 1), .waiting),
            (joined([own, other(true)], pending: 1), .waiting), (joined([own, other(true)]), .everywhere),
            (joined([own, other(false)]), .givenOut), (joined([own, other(nil)]), .givenOut),
            (joined([own, other(true), other(false)]), .givenOut), (joined([own]), .everywhere),
        ]
    }

    @Test("an item is local, waits, was given out or is everywhere")
    func item() async throws {
        for (step, sharing) in Self.answers {
            let broker = try PlayedBroker([
                "Show": [.answer(Wire.ItemReply(item: PlayedBroker.item()))], "State": [Self.joined(), step],
            ])
            let name = ItemName(service: "s", account: "me")
            #expect(try await broker.backend.sharing(of: name, in: .own) == sharing)
            let calls = broker.server.calls("State")
            #expect(try calls.last?.parameters(Sync.State.self)?.item == "id of me")
            #expect(calls.count == 2)
        }
        // Without a circle there is nothing to ask about the item, and any other error is the caller's.
        let alone = try PlayedBroker([
            "Show": [.answer(Wire.ItemReply(item: PlayedBroker.item()))], "State": [.answer(Sync.State.Reply())],
        ])
        #expect(try await alone.backend.sharing(of: ItemName(service: "s", account: "me"), in: .own) == .local)
        #expect(alone.server.calls("State").count == 1)
        let locked = try PlayedBroker([
            "Show": [.answer(Wire.ItemReply(item: PlayedBroker.item()))],
            "State": [Self.joined(), .fault(.locked, "locked")],
        ])
        await refused(.locked) { () throws(KeychainError) in
            _ = try await locked.backend.sharing(of: ItemName(service: "s", account: "me"), in: .own)
        }
    }

    private static func conflict(_ part: String, _ name: String? = nil) -> Sync.Conflict {
        Sync.Conflict(
            item: "1", service: "s", account: "me", kind: .genericPassword, part: part, name: name,
            revisions: [
                Sync.Revision(id: "r0", device: "d0", machine: "here", time: 1, shown: true),
                Sync.Revision(id: "r1", device: "d1", time: 2, unreadable: true),
            ])
    }

    private static let revisions = [
        ItemConflict.Revision(id: "r0", machine: "here", isOwn: true, isShown: true, isReadable: true),
        ItemConflict.Revision(id: "r1", machine: nil, isOwn: false, isShown: false, isReadable: false),
    ]

    @Test("conflicts come in several answers, and parts that are not known here are left out")
    func conflicts() async throws {
        let first = Sync.Conflicts.Reply(
            conflicts: [
                Self.conflict("field", "token"), Self.conflict("attribute", "host"), Self.conflict("name"),
                Self.conflict("field"), Self.conflict("attribute"), Self.conflict("colour"),
            ], next: "n1")
        let second = Sync.Conflicts.Reply(
            conflicts: [Self.conflict("label"), Self.conflict("comment"), Self.conflict("expiry")])
        let broker = try PlayedBroker(["State": [Self.joined()], "Conflicts": [.answer(first), .answer(second)]])
        let found = try await broker.backend.conflicts(in: .own)
        let token: FieldName = "token"
        #expect(
            found.map(\.part) == [.field(token), .attribute("host"), .name, .label, .comment, .expiry])
        #expect(found.allSatisfy { $0.revisions == Self.revisions && $0.item == "1" && $0.name.account == "me" })
        let calls = try broker.server.calls("Conflicts").map { try $0.parameters(Sync.Conflicts.self)?.after }
        #expect(calls == [nil, "n1"])
    }

    @Test("a machine without a circle has no conflicts, and asks for none")
    func noConflicts() async throws {
        let broker = try PlayedBroker(["State": [.answer(Sync.State.Reply(circle: "c1", joined: false))]])
        #expect(try await broker.backend.conflicts(in: .own).isEmpty)
        #expect(broker.server.calls("Conflicts").isEmpty)
    }

    @Test("a broker that names conflicts without end is not listened to without end")
    func manyConflicts() async throws {
        let many = Sync.Conflicts.Reply(
            conflicts: Array(repeating: Self.conflict("label"), count: ConflictLimits.listed / 20), next: "more")
        let broker = try PlayedBroker(["State": [Self.joined()], "Conflicts": [.answer(many)]])
        #expect(try await broker.backend.conflicts(in: .own).count == ConflictLimits.listed)
        #expect(broker.server.calls("Conflicts").count == 20)
    }

    private static func found(_ part: ItemConflict.Part) -> ItemConflict {
        ItemConflict(
            item: "1", name: ItemName(service: "s", account: "me"), part: part, revisions: Self.revisions)
    }

    @Test("one revision of a field is read, and of nothing else")
    func revision() async throws {
        let value = Wire.Get.Reply(value: "QUI=", item: PlayedBroker.item())
        let broker = try PlayedBroker(["Get": [.answer(value)]])
        let token: FieldName = "token"
        let bytes = try await broker.backend.read("r1", of: Self.found(.field(token)), ReadRequest(), in: .own)
        #expect(bytes == [65, 66])
        let call = try #require(try broker.server.calls("Get").first?.parameters(Wire.Get.self))
        #expect(call.field == "token" && call.revision == "r1" && call.service == "s" && call.account == "me")
        await refused(.changedMeanwhile) { () throws(KeychainError) in
            _ = try await broker.backend.read("r1", of: Self.found(.label), ReadRequest(), in: .own)
        }
        #expect(broker.server.calls("Get").count == 1)
    }

    @Test("a conflict is resolved by its part's own words")
    func resolve() async throws {
        let broker = try PlayedBroker(["Resolve": [.answer(Sync.Resolve.Reply())]])
        let token: FieldName = "token"
        for part in [ItemConflict.Part.field(token), .attribute("host"), .name, .label, .comment, .expiry] {
            try await broker.backend.resolve(Self.found(part), taking: "r1", in: .own)
        }
        let calls = try broker.server.calls("Resolve").map { try #require(try $0.parameters(Sync.Resolve.self)) }
        #expect(calls.map(\.part) == ["field", "attribute", "name", "label", "comment", "expiry"])
        #expect(calls.map(\.name) == ["token", "host", nil, nil, nil, nil])
        #expect(calls.allSatisfy { $0.item == "1" && $0.take == "r1" })
        let late = try PlayedBroker(["Resolve": [.fault(.changed, "somebody has decided")]])
        await refused(.changedMeanwhile) { () throws(KeychainError) in
            try await late.backend.resolve(Self.found(.label), taking: "r1", in: .own)
        }
    }
}
