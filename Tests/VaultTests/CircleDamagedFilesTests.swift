import Authorization
import Circle
import Testing

@testable import Vault

/// A store that has damaged files in place of losing them: what its machines make of it.
struct CircleDamagedFilesTests {
    private let group: CircleGroup
    private let desk: CircleMachine
    private let laptop: CircleMachine

    init() throws {
        group = try CircleGroup("desk", "laptop")
        (desk, laptop) = (group.machines[0], group.machines[1])
        try group.settle()
    }

    private var store: CircleStore { group.store }

    /// What the desk gives out now, with its new segment.
    private func given() throws -> (path: StorePath, bytes: [UInt8]) {
        let before = Set(store.names)
        try desk.set("github", "me", "typed on the desk")
        try desk.sync(store)
        let path = try #require(store.names.first { !before.contains($0) })
        return (path, try #require(store.files[path]))
    }

    private func sizes() -> [StorePath: Int] { store.files.mapValues(\.count) }

    private func lost(by machine: CircleMachine) throws -> [StorePath] {
        try machine.vault.files(lacking: Set(store.names), sizes: sizes(), heads: store.heads, room: .max).files
            .map(\.path)
    }

    @Test(arguments: [0, 1 << 21]) func anOwnFileOfAnotherLengthIsGivenOutAgain(length: Int) throws {
        let (path, bytes) = try given()
        #expect(try lost(by: desk).isEmpty)
        store.files[path] = [UInt8](repeating: 0, count: length)
        try laptop.sync(store)
        #expect(throws: VaultError.self) { try laptop.get("github", "me") }
        let files = try desk.vault.files(lacking: Set(store.names), sizes: sizes(), heads: store.heads, room: .max)
        #expect(files.files.map(\.path) == [path] && files.files.map(\.content) == [bytes])
        store.files[path] = bytes
        try laptop.sync(store)
        #expect(try laptop.get("github", "me") == "typed on the desk")
        #expect(try lost(by: desk).isEmpty)
    }

    /// A length that nobody knows is none that is wrong.
    @Test func withoutLengthsNothingIsGivenOutAgain() throws {
        let (path, _) = try given()
        store.files[path] = []
        #expect(try desk.vault.files(lacking: Set(store.names), heads: store.heads, room: .max).files.isEmpty)
    }

    @Test func aDamagedFileOfAnotherMachineIsGivenBack() throws {
        let (path, bytes) = try given()
        try laptop.sync(store)
        let device = try desk.view().device.id
        let held = try #require(try laptop.sync(store).held[device])
        let own = store.names.filter { if case .segment(_, device, _, _) = $0 { true } else { false } }
        #expect(held.count == own.count)
        #expect(held.bytes == own.reduce(0) { $0 + (store.files[$1]?.count ?? 0) })
        func lost() throws -> [(path: StorePath, content: [UInt8])] {
            try laptop.vault.lostFiles(
                of: device, lacking: Set(own), sizes: sizes(), hasHead: true, room: .max, laptop.classKeys
            ).files
        }
        #expect(try lost().isEmpty)
        store.files[path] = []
        #expect(try lost().map(\.path) == [path] && lost().map(\.content) == [bytes])
    }

    /// A byte of a record is another one: the file has the form, and leads nowhere.
    @Test func whatLeadsNowhereIsUnfit() throws {
        let (path, bytes) = try given()
        let heads = store.heads
        var flipped = bytes
        flipped[bytes.count - 20] ^= 1
        for damaged in [[], Array(bytes.dropLast()), bytes + [0], flipped] {
            store.files[path] = damaged
            #expect(try laptop.takeIn(store).unfit == [0])
        }
        // One that is right, beside one that is not.
        let taken = try laptop.vault.takeIn(heads: heads, segments: [flipped, bytes, []], laptop.classKeys)
        #expect(taken.unfit == [0, 2])
        #expect(try laptop.get("github", "me") == "typed on the desk")
        // What it has already tells that another one is wrong.
        #expect(try laptop.vault.takeIn(heads: heads, segments: [bytes, flipped], laptop.classKeys).unfit == [1])
    }

    /// Files arrive in any order. One that no head leads to yet can be right.
    @Test func whatComesBeforeItsHeadIsNotUnfit() throws {
        let heads = store.heads
        let (_, bytes) = try given()
        #expect(try laptop.vault.takeIn(heads: heads, segments: [bytes], laptop.classKeys).unfit.isEmpty)
        #expect(try laptop.takeIn(store).unfit.isEmpty)
        #expect(try laptop.get("github", "me") == "typed on the desk")
    }

    /// Attacker 10: the store gives heads and no files. The machine is heard, and what it has said does not come.
    @Test func whatDoesNotComeIsCountedAndItsMachineNamed() throws {
        let device = try desk.view().device.id
        func state() throws -> OpenVault.CircleState {
            try #require(try laptop.vault.circleState(laptop.classKeys))
        }
        func missing() throws -> Int { try state().machines.reduce(0) { $0 + $1.missing } }
        #expect(try state().waiting == 0 && missing() == 0)
        let (path, bytes) = try given()
        store.files[path] = nil
        let taken = try laptop.sync(store)
        let count = try RecordSegment(decoding: bytes).records.count
        #expect(taken.waiting == count)
        #expect(try state().waiting == count)
        #expect(try state().machines.first { $0.device == device }?.missing == count)
        #expect(try desk.vault.circleState(desk.classKeys)?.waiting == 0)
        store.files[path] = bytes
        try laptop.sync(store)
        #expect(try state().waiting == 0 && missing() == 0)
    }

    /// What a machine no longer gives out is not missed by one that comes later.
    @Test func whatWasCompactedIsNotMissed() throws {
        let group = try CircleGroup("desk", "laptop", room: Room(given: 56 << 10, givenFiles: 20))
        let desk = group.machines[0]
        for number in 1...10 {
            try desk.set("file", "", "\(number):" + String(repeating: "x", count: 8_000))
            try desk.sync(group.store)
        }
        try group.settle()
        #expect(try desk.view().compacted.count == 1)
        let spare = try CircleMachine("spare")
        try spare.join(desk)
        for _ in 0..<2 { for machine in group.machines + [spare] { try machine.sync(group.store) } }
        for machine in group.machines + [spare] { #expect(try machine.view().waiting == 0) }
    }
}
