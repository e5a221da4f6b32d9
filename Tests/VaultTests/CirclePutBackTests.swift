import Authorization
import Circle
import Testing

@testable import Vault

/// A store that has lost files (attacker 10, or somebody's mistake): members that have them put them back.
struct CirclePutBackTests {
    /// A circle of three, and what the store had of the laptop, which is switched off from then on.
    private func lossOfTheLaptop() throws -> (group: CircleGroup, laptop: WriterID, lost: [StorePath: [UInt8]]) {
        let group = try CircleGroup("desk", "laptop", "phone")
        let (laptop, store) = (group.machines[1], group.store)
        try laptop.set("github", "me", "from the laptop")
        for _ in 0..<2 { for machine in group.machines { try machine.sync(store) } }
        let device = try laptop.view().device.id
        let lost = store.files.filter { Self.isFile($0.key, of: device) }
        #expect(lost.count > 1)
        for path in lost.keys { store.files[path] = nil }
        return (group, device, lost)
    }

    private static func isFile(_ path: StorePath, of device: WriterID) -> Bool {
        switch path {
        case .segment(_, device, _, _), .head(_, device): true
        default: false
        }
    }

    private func names(_ device: WriterID, _ store: CircleStore) -> Set<StorePath> {
        Set(store.names.filter { Self.isFile($0, of: device) })
    }

    /// Puts back what the store has lost, in answers with this much room.
    private func putBack(
        _ device: WriterID, by machine: CircleMachine, _ store: CircleStore, room: Int = .max
    ) throws -> [StorePath] {
        var written: [StorePath] = []
        var hasMore = true
        while hasMore {
            let reply = try machine.vault.lostFiles(
                of: device, lacking: names(device, store),
                hasHead: store.files.keys.contains { if case .head(_, device) = $0 { true } else { false } },
                room: room, machine.classKeys)
            for (path, content) in reply.files {
                store.files[path] = content
                written.append(path)
            }
            hasMore = reply.hasMore
        }
        return written
    }

    @Test(arguments: [1, Int.max]) func whatWasLostComesBackByteForByte(room: Int) throws {
        let (group, laptop, lost) = try lossOfTheLaptop()
        let (desk, store) = (group.machines[0], group.store)
        #expect(try desk.sync(store).held[laptop]?.count == lost.count - 1)
        let written = try putBack(laptop, by: desk, store, room: room)
        #expect(store.files.filter { Self.isFile($0.key, of: laptop) } == lost)
        // The head comes last: it leads to what is there by then.
        if case .head = try #require(written.last) {} else { Issue.record("the head is not the last one") }
        #expect(try putBack(laptop, by: desk, store).isEmpty)

        // A machine that joins now has what the laptop alone had given out.
        let spare = try CircleMachine("spare")
        try desk.sync(store)
        try spare.join(desk)
        try desk.sync(store)
        try spare.sync(store)
        #expect(try spare.get("github", "me") == "from the laptop")
    }

    @Test func withoutItANewMachineLacksWhatWasLost() throws {
        let (group, _, _) = try lossOfTheLaptop()
        let spare = try CircleMachine("spare")
        try group.machines[0].sync(group.store)
        try spare.join(group.machines[0])
        try group.machines[0].sync(group.store)
        try spare.sync(group.store)
        #expect(throws: VaultError.self) { try spare.get("github", "me") }
    }

    /// The laptop may have given out more, so only the laptop replaces its head.
    @Test func aHeadThatIsThereIsLeftAlone() throws {
        let (group, laptop, lost) = try lossOfTheLaptop()
        let store = group.store
        let head = try #require(lost.keys.first { if case .head = $0 { true } else { false } })
        store.files[head] = [1, 2, 3]
        let written = try putBack(laptop, by: group.machines[0], store)
        #expect(written.count == lost.count - 1 && store.files[head] == [1, 2, 3])
    }

    /// A store that adds what nobody has signed does not get it back either.
    @Test func junkIsNotPutBack() throws {
        let (group, laptop, lost) = try lossOfTheLaptop()
        let (desk, store) = (group.machines[0], group.store)
        let (path, bytes) = try #require(lost.first { if case .segment = $0.key { true } else { false } })
        guard case .segment(let circle, _, let number, let run) = path else { return }
        let junk = StorePath.segment(circle: circle, device: laptop, number: number + 500, run: run)
        store.files[junk] = bytes.map { $0 ^ 1 }
        try desk.sync(store)
        store.files[junk] = nil
        #expect(try putBack(laptop, by: desk, store).count == lost.count)
        #expect(store.files[junk] == nil)
    }

    /// Who keeps the store can make one file of two. A member then has that and the first one, which lie in one place.
    @Test func ofTwoFilesInOnePlaceTheWholeOneIsPutBack() throws {
        let group = try CircleGroup("desk", "laptop")
        let (desk, laptop, store) = (group.machines[0], group.machines[1], group.store)
        let device = try laptop.view().device.id
        var given: [(path: StorePath, segment: RecordSegment)] = []
        for value in ["1", "2"] {
            let before = names(device, store)
            try laptop.set("github", "me", value)
            try laptop.sync(store)
            let path = try #require(names(device, store).subtracting(before).first)
            given.append((path, try RecordSegment(decoding: #require(store.files[path]))))
            if value == "1" { try desk.sync(store) }
        }
        let whole = try RecordSegment(
            before: given[0].segment.before, records: given[0].segment.records + given[1].segment.records)
        store.files[given[0].path] = whole.bytes
        store.files[given[1].path] = nil
        try desk.sync(store)
        #expect(try desk.get("github", "me") == "2")
        for file in store.files.keys where Self.isFile(file, of: device) { store.files[file] = nil }
        _ = try putBack(device, by: desk, store)
        #expect(store.files[given[0].path] == whole.bytes)
        #expect(try desk.takeIn(store).held[device]?.count == names(device, store).count)
    }

    @Test func aReaderAndTheMachineItselfPutNothingBack() throws {
        let (group, laptop, _) = try lossOfTheLaptop()
        let (desk, store) = (group.machines[0], group.store)
        let server = try CircleMachine("server")
        try desk.sync(store)
        try server.vault.enter(desk.add(server.request(), as: .reader), server.profile, server.classKeys)
        // It has everything, and writes nothing of others.
        _ = try putBack(laptop, by: desk, store)
        try desk.sync(store)
        try server.sync(store)
        for path in store.files.keys where Self.isFile(path, of: laptop) { store.files[path] = nil }
        #expect(try putBack(laptop, by: server, store).isEmpty)
        // Its own files it gives out by itself.
        #expect(try putBack(laptop, by: group.machines[1], store).isEmpty)
        try group.machines[1].put(store)
        #expect(store.files.keys.contains { Self.isFile($0, of: laptop) })
    }
}
