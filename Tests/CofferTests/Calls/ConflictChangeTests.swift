import BrokerProtocol
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// The changes of conflicts, as the library makes them of the broker's events and lists.
@Suite("conflicts that begin and end are told")
struct ConflictChangeTests {
    private static let joined = FakeServer.Step.answer(
        Sync.State.Reply(
            circle: "c1", machines: [Sync.Machine(device: "d0", name: "here", role: "admin", own: true, heard: 1)],
            joined: true, pending: 0, conflicts: 1))

    private static func listed(_ parts: String...) -> FakeServer.Step {
        .answer(
            Sync.Conflicts.Reply(
                conflicts: parts.map { part in
                    Sync.Conflict(
                        item: "1", service: "s", account: "me", kind: .genericPassword, part: part, name: nil,
                        revisions: [
                            Sync.Revision(id: "r0", device: "d0", machine: "here", time: 1, shown: true),
                            Sync.Revision(id: "r1", device: "d1", time: 2),
                        ])
                }))
    }

    private static func found(_ part: ItemConflict.Part) -> ItemConflict {
        ItemConflict(
            item: "1", name: ItemName(service: "s", account: "me"), part: part,
            revisions: [
                ItemConflict.Revision(id: "r0", machine: "here", isOwn: true, isShown: true, isReadable: true),
                ItemConflict.Revision(id: "r1", machine: nil, isOwn: false, isShown: false, isReadable: true),
            ])
    }

    /// A broker that tells these events, each in a reply of its own, and then ends.
    private static func broker(
        _ conflicts: [FakeServer.Step], _ events: Wire.Event.Kind...
    ) throws -> PlayedBroker {
        let told: [[Wire.Event]] = [[]] + events.map { [Wire.Event(event: $0, time: 1)] }
        let replies = told.enumerated().map { place, events in
            FakeServer.encode(
                VarlinkReply(Wire.Monitor.Reply(events: events), continues: place < told.count - 1 ? true : nil))
        }
        return try PlayedBroker(["State": [joined], "Conflicts": conflicts, "Monitor": [.replies(replies)]])
    }

    private static func changes(_ broker: PlayedBroker) async throws -> [ConflictChange] {
        var changes: [ConflictChange] = []
        for try await change in try await broker.keychain().conflictChanges() { changes.append(change) }
        return changes
    }

    @Test("those that there are already come first, and need no event")
    func present() async throws {
        let broker = try Self.broker([Self.listed("label", "comment")])
        #expect(try await Self.changes(broker) == [.began(Self.found(.label)), .began(Self.found(.comment))])
        #expect(broker.server.calls("Conflicts").count == 1)
    }

    @Test("after each event, what has begun or ended since is told")
    func later() async throws {
        let broker = try Self.broker(
            [Self.listed("label"), Self.listed("comment"), Self.listed()], .sharing, .missed)
        #expect(
            try await Self.changes(broker) == [
                .began(Self.found(.label)), .ended(Self.found(.label)), .began(Self.found(.comment)),
                .ended(Self.found(.comment)),
            ])
        #expect(broker.server.calls("Conflicts").count == 3)
    }

    @Test("while the vault is locked nothing is told, and a lock alone asks for nothing")
    func locked() async throws {
        let broker = try Self.broker([.fault(.locked, "locked"), Self.listed("label")], .locked, .unlocked)
        #expect(try await Self.changes(broker) == [.began(Self.found(.label))])
        #expect(broker.server.calls("Conflicts").count == 2)
    }
}
