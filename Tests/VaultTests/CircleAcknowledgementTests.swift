import Authorization
import Circle
import Cryptography
import Item
import Testing

@testable import Vault

/// What machines say that they have taken in, among many machines, and about one item.
struct CircleAcknowledgementTests {
    /// A member that the test writes for.
    private final class Member {
        private let key: P256.PrivateKey
        let keys: MemberKeys
        private var device: CircleDevice
        private let run: RunID

        init(in circle: StatementName) throws {
            key = try P256.PrivateKey.generate()
            var bytes = try P256.PrivateKey.generate().publicKey + key.publicKey
            for _ in KeyClass.receiving { bytes += try X25519.PrivateKey.generate().publicKey }
            bytes += MemberKeys.guards.flatMap { _ in MemberKeys.noPoint }
            keys = try MemberKeys(bytes: bytes + Random.bytes(32))
            let none = CircleSigningKeys(
                stream: SealedObject(role: .streamKey, public: [], private: []),
                membership: SealedObject(role: .membershipKey, public: [], private: []))
            device = CircleDevice(
                circle: circle, keys: keys, signingKeys: none,
                profile: DeviceProfile(MachineName(near: "many"), .software))
            run = try #require(RunID(bytes: Random.bytes(RunID.count)))
        }

        /// Gives out one record, and names nothing in its head.
        func give(_ body: RecordBody, _ view: CircleView, to store: CircleStore) throws {
            let present = try #require(view.present)
            let half = try #require(view.halves[present.name]).metadata
            var writer = try RecordWriter(device, after: device.end, in: run, before: nil)
            try writer.add(body, (present.name, half))
            let prepared = try writer.finish(
                seen: [], stateDigest: [UInt8](repeating: 0, count: 32), time: 1_800_000_000_000, given: [],
                streamPassword: SecretBytes(copying: [0]))
            device = prepared.after
            for segment in prepared.segments {
                store.files[
                    .segment(
                        circle: device.circle, device: device.id, number: segment.records[0].header.number, run: run)
                ] = segment.bytes
            }
            let signature = SignedStatement.lower(try key.signature(for: prepared.head.bytes))
            store.files[.head(circle: device.circle, device: device.id)] =
                SignedHead(prepared.head, signature: signature).bytes
        }

        var profile: RecordBody { .profile(device.profile) }
    }

    /// A circle of one machine and members that the test writes for.
    private func circle(of count: Int) throws -> (desk: CircleMachine, members: [Member], store: CircleStore) {
        let (desk, store) = (try CircleMachine("desk"), CircleStore())
        try desk.found()
        var view = try desk.view()
        let members = try (0..<count).map { _ in try Member(in: view.device.circle) }
        var past = view.newestStatements
        var statements: [RecordBody] = []
        for member in members {
            let statement = try Statement(
                circle: view.device.circle, signer: view.device.id, past: past,
                .addition(member.keys, .writer, given: view.present?.name))
            statements.append(.statement(try desk.signed(statement)))
            past = [statement.name]
        }
        try desk.give(statements)
        try desk.sync(store)
        view = try desk.view()
        for member in members { try member.give(member.profile, view, to: store) }
        try desk.sync(store)
        return (desk, members, store)
    }

    private func isNamed(_ member: Member, by desk: CircleMachine) throws -> Bool {
        let view = try desk.view()
        return view.named(by: view.device.id, of: member.keys.device).contains {
            view.isEndOfAll($0, of: member.keys.device)
        }
    }

    /// A head names 64 of them. A record names them all.
    @Test func nobodyIsLeftOutAmongMany() throws {
        let (desk, members, store) = try circle(of: StreamHead.mostSeen + 3)
        #expect(try members.allSatisfy { try isNamed($0, by: desk) })
        let settled = store.files
        try desk.sync(store)
        let isSettled = store.files == settled
        #expect(isSettled)
        // What one says from then on is in the head again. Nobody writes a record for it.
        let names = store.names
        let view = try desk.view()
        try members[7].give(members[7].profile, view, to: store)
        let given = store.names
        #expect(given.count == names.count + 1)
        _ = try desk.takeIn(store)
        #expect(try !isNamed(members[7], by: desk))
        try desk.sync(store)
        #expect(try isNamed(members[7], by: desk) && members.allSatisfy { try isNamed($0, by: desk) })
        #expect(store.names == given)
        let head = try #require(desk.view().streams[desk.view().device.id]?.newest?.head)
        #expect(head.seen.map(\.device) == [members[7].keys.device])
    }

    /// As many as a head has room for need no record.
    @Test func aHeadNamesAsManyAsItHasRoomFor() throws {
        let (desk, members, _) = try circle(of: StreamHead.mostSeen)
        #expect(try members.allSatisfy { try isNamed($0, by: desk) })
        let view = try desk.view()
        let head = try #require(view.streams[view.device.id]?.newest?.head)
        #expect(head.seen.count == members.count)
        #expect(view.seenRecord == nil)
    }

    /// Two that answer each other's records of this kind would never rest.
    @Test func nobodyAnswersARecordOfAnswers() throws {
        let (desk, members, store) = try circle(of: 2)
        let view = try desk.view()
        let end = try #require(view.device.end)
        #expect(!view.hasTakenAll(members[0].keys.device))
        try members[0].give(.seen([SeenEnd(view.device.id, end)]), view, to: store)
        let given = store.files
        try desk.sync(store)
        let isSilent = store.files == given
        #expect(isSilent)
        // It counts as an answer, as long as nothing else is said.
        let after = try desk.view()
        #expect(after.hasTakenAll(members[0].keys.device) && !after.hasTakenAll(members[1].keys.device))
        try desk.set("github", "", "1")
        try desk.sync(store)
        #expect(try !desk.view().hasTakenAll(members[0].keys.device))
        // Somebody else's word for it is none.
        let now = try desk.view()
        try members[1].give(.seen([SeenEnd(now.device.id, #require(now.device.end))]), now, to: store)
        try desk.sync(store)
        #expect(try desk.view().hasTakenAll(members[1].keys.device))
        #expect(try !desk.view().hasTakenAll(members[0].keys.device))
    }

    @Test func oneItemIsAtAMachineWhileAnotherIsNot() throws {
        let (desk, laptop, spare) = (try CircleMachine("desk"), try CircleMachine("laptop"), try CircleMachine("spare"))
        let store = CircleStore()
        try desk.found()
        try desk.put(store)
        for machine in [laptop, spare] {
            try machine.join(desk)
            try desk.put(store)
        }
        for _ in 0..<3 { for machine in [desk, laptop, spare] { try machine.sync(store) } }
        /// What the desk knows of the laptop and of the other machine.
        func has(_ service: String?) throws -> [Bool] {
            let item = try service.map { try desk.find($0).id }
            let state = try #require(try desk.vault.circleState(desk.classKeys, of: item))
            return try [laptop, spare].map { machine in
                let device = try machine.view().device.id
                return try #require(state.machines.first { $0.device == device }).hasTakenAll
            }
        }
        func pending(_ service: String) throws -> Int? {
            try desk.vault.circleState(desk.classKeys, of: desk.find(service).id)?.pending
        }
        try desk.set("github", "", "1")
        for machine in [desk, laptop, desk] { try machine.sync(store) }
        #expect(try has("github") == [true, false])
        // The laptop lacks what came later.
        try desk.set("gitlab", "", "1")
        _ = try desk.takeIn(store)
        #expect(try pending("gitlab") ?? 0 > 0 && pending("github") == 0)
        try desk.sync(store)
        #expect(try has("gitlab") == [false, false] && has("github") == [true, false] && has(nil) == [false, false])
        #expect(try pending("gitlab") == 0)
        // Each change of the item counts, also one that takes something away, and whoever made it.
        try laptop.sync(store)
        try laptop.edit("github", MetadataChanges(comment: "of laptop"))
        for machine in [laptop, desk] { try machine.sync(store) }
        #expect(try has("github") == [true, false])
        for machine in [spare, desk] { try machine.sync(store) }
        #expect(try has("github") == [true, true])
        // The other machine has all that the desk has changed, and lacks what the laptop has.
        try laptop.edit("github", MetadataChanges(comment: "of laptop, later"))
        for machine in [laptop, desk] { try machine.sync(store) }
        #expect(try has("github") == [true, false])
        for machine in [spare, desk] { try machine.sync(store) }
        #expect(try has("github") == [true, true])
        try desk.edit("github", MetadataChanges(comment: ""))
        try desk.sync(store)
        #expect(try has("github") == [false, false] && has("gitlab") == [true, true])
        // What stays here is nobody else's.
        try desk.set("own", "", "1", AccessControl(.whenUnlocked, isThisDeviceOnly: true))
        try desk.sync(store)
        #expect { try has("own") } throws: { ($0 as? VaultError)?.code == .invalidArgument }
    }

    /// Its clock was set back. Of two heads at one end the later one counts, so the second is later all the same.
    @Test func aHeadThatIsSignedAgainIsLater() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop) = (group.machines[0], group.machines[1])
        let view = try desk.view()
        let before = try #require(view.streams[view.device.id]?.newest?.head)
        try laptop.set("github", "", "1")
        try laptop.sync(group.store)
        desk.fixture.clock.withLock { $0 = 1_700_000_000_000 }
        try desk.takeIn(group.store)
        let prepared = try #require(try desk.vault.giveOut(heads: group.store.heads, desk.classKeys))
        #expect(prepared.head.end == before.end && prepared.head.time == before.time + 1)
    }

    /// It has named nothing before, and the store keeps a file from it (attacker 10).
    @Test func aNewMachineDoesNotSayToHaveWhatIsWithheld() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, spare) = (group.machines[0], try CircleMachine("spare"))
        let before = Set(group.store.names)
        try desk.set("late", "", "withheld")
        for _ in 0..<2 { for machine in group.machines { try machine.sync(group.store) } }
        let late = Set(group.store.names).subtracting(before)
        try spare.join(desk)
        try desk.put(group.store)
        let device = try desk.view().device.id
        func named() throws -> Bool {
            let view = try spare.view()
            return view.named(by: view.device.id, of: device).contains { view.isEndOfAll($0, of: device) }
        }
        let whole = group.store.files
        for path in late { group.store.files[path] = nil }
        try spare.sync(group.store)
        #expect(try !named())
        for path in late { group.store.files[path] = whole[path] }
        try spare.sync(group.store)
        #expect(try named())
        #expect(try spare.get("late") == "withheld")
    }
}
