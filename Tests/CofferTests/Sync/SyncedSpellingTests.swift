import Coffer
import CofferSettings
import CofferSync
import CofferTestKit
import Testing

/// The vault compares the bytes of names. Two that are equal in Unicode are one setting here, and two items there.
struct SyncedSpellingTests {
    /// Several, because nobody knows which of two items is listed last.
    private static let names = (0..<16).map { (composed: "\u{E9}\($0)", decomposed: "e\u{301}\($0)") }

    private static func bytes(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }

    @Test func anotherSpellingTakesNoPlace() async throws {
        let pair = try await SyncedPair()
        for name in Self.names { try pair.desk.set(name.composed, "own") }
        try await pair.settle()
        for name in Self.names { try await pair.desk.keychain.set("\"other\"", for: name.decomposed) }
        pair.circle.exchange()
        for machine in [pair.desk, pair.laptop] {
            try await machine.settings.synchronize()
            for name in Self.names { #expect(try machine.get(name.composed) == "own") }
            #expect(Self.bytes(machine.settings.sharedNames) == Self.bytes(Self.names.map(\.composed)))
            #expect(machine.settings.pendingNames == [])
        }
        // It does not keep alive what was removed either.
        try await pair.desk.keychain.delete(Self.names[0].composed)
        try await pair.desk.settings.synchronize()
        #expect(try pair.desk.get(Self.names[0].composed) == "none")
        // Only the application's own items go when the machine leaves.
        pair.circle.remove(pair.laptop.backend)
        try await pair.laptop.settings.synchronize()
        #expect(Self.bytes(try await pair.laptop.keychain.accounts()) == Self.bytes(Self.names.map(\.decomposed)))
    }

    /// Also of settings that were here before there was a circle.
    @Test(arguments: [false, true]) func theFirstSyncTakesNoOtherSpelling(isLocal: Bool) async throws {
        let name = Self.names[0]
        let circle = InMemoryCircle()
        let desk = try SyncedMachine(local: isLocal ? [name.composed: "own"] : [:])
        if !isLocal { try desk.set(name.composed, "own") }
        circle.join(desk.backend, as: "desk")
        try await desk.keychain.set("\"other\"", for: name.decomposed)
        try await desk.settings.synchronize()
        #expect(try desk.get(name.composed) == "own")
        #expect(try await desk.keychain.string(for: name.composed) == "\"own\"")
        #expect(try await desk.keychain.string(for: name.decomposed) == "\"other\"")
    }

    /// An application that spells a name in two ways has one setting, and one item.
    @Test func theKnownSpellingStays() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set(Self.names[0].composed, "1")
        try await pair.settle()
        try pair.desk.set(Self.names[0].decomposed, "2")
        try await pair.settle()
        #expect(try pair.laptop.get(Self.names[0].composed) == "2")
        #expect(Self.bytes(try await pair.desk.keychain.accounts()) == Self.bytes([Self.names[0].composed]))
    }
}
