import Coffer
import CofferSync
import CofferTestKit
import Testing

private struct Note: Codable, Sendable, Equatable {
    var text: String
}

/// Records that two machines in memory change at the same time.
struct SyncedRecordsTests {
    private let circle = InMemoryCircle()
    private let backends = [InMemoryKeychain(), InMemoryKeychain()]

    init() {
        circle.join(backends[0], as: "desk")
        circle.join(backends[1], as: "laptop")
    }

    private func keychain(_ place: Int) -> Keychain { Keychain(service: "notes", backend: backends[place]) }

    private func records(_ strategy: RecordStrategy<Note>) -> [SyncedRecords<Note>] {
        (0..<2).map { SyncedRecords<Note>(keychain: keychain($0), strategy: strategy) }
    }

    /// Both have the record, and both change it.
    private func conflicting(_ strategy: RecordStrategy<Note>) async throws -> [SyncedRecords<Note>] {
        let both = records(strategy)
        try await both[0].save(Note(text: "before"), as: "n")
        circle.exchange()
        try await both[0].save(Note(text: "desk"), as: "n")
        try await both[1].save(Note(text: "laptop"), as: "n")
        circle.exchange()
        return both
    }

    private func texts(_ both: [SyncedRecords<Note>]) async throws -> [String] {
        var texts: [String] = []
        for one in both { texts.append(try await one.record("n").text) }
        return texts
    }

    private static let merging = RecordStrategy<Note>.merge { mine, theirs in
        Note(text: [mine.text, theirs.text].sorted().joined(separator: "+"))
    }

    @Test func aRecordTravels() async throws {
        let both = records(.lastWriter)
        try await both[0].save(Note(text: "a"), as: "n")
        #expect(try await !both[0].isSynced("n"))
        circle.exchange()
        #expect(try await both[0].isSynced("n"))
        #expect(try await both[1].record("n") == Note(text: "a"))
        #expect(try await both[1].ids() == ["n"])
        #expect(try await both[1].decide() == [])
        try await both[1].delete("n")
        circle.exchange()
        await #expect(throws: KeychainError(.notFound, "")) { try await both[0].record("n") }
    }

    /// One machine decides, and its result goes to the other one.
    @Test(arguments: [0, 1]) func oneMachineDecides(_ decider: Int) async throws {
        let own = ["desk", "laptop"][decider]
        let other = ["laptop", "desk"][decider]
        let cases: [(RecordStrategy<Note>, Set<String>)] = [
            (.lastWriter, ["desk", "laptop"]), (.local, [own]), (.remote, [other]), (Self.merging, ["desk+laptop"]),
        ]
        for (strategy, wanted) in cases {
            let fresh = SyncedRecordsTests()
            let both = try await fresh.conflicting(strategy)
            let before = try await fresh.texts(both)
            #expect(before[0] == before[1])
            #expect(try await both[decider].decide() == ["n"])
            fresh.circle.exchange()
            let texts = try await fresh.texts(both)
            #expect(texts[0] == texts[1])
            #expect(wanted.contains(texts[0]), "\(texts)")
            for place in 0..<2 {
                #expect(try await fresh.keychain(place).conflicts().isEmpty)
                #expect(try await both[place].decide() == [])
            }
        }
    }

    /// Both decide at the same time, each for itself. They come to one record, and do not go on deciding.
    @Test(arguments: 0..<4) func bothDecide(_ place: Int) async throws {
        let strategy: RecordStrategy<Note> = [.lastWriter, .local, .remote, Self.merging][place]
        let both = try await conflicting(strategy)
        for one in both { #expect(try await one.decide() == ["n"]) }
        circle.exchange()
        // Two different results are one more conflict, and the last of them counts.
        for one in both { try await one.decide() }
        circle.exchange()
        for one in both { #expect(try await one.decide() == []) }
        let texts = try await texts(both)
        #expect(texts[0] == texts[1])
        #expect(place != 3 || texts[0] == "desk+laptop")
        let before = texts
        circle.exchange()
        #expect(try await self.texts(both) == before)
    }

    /// A record that was changed again while it was decided is left for the next time.
    @Test func whatAnotherProgramStoresIsLeft() async throws {
        let both = try await conflicting(.local)
        try await keychain(0).set("no record", for: "other")
        circle.exchange()
        try await keychain(0).set("not one", for: "other")
        try await keychain(1).set("nor this", for: "other")
        circle.exchange()
        #expect(try await both[0].decide() == ["n"])
        #expect(try await keychain(0).conflicts().map(\.name.account) == ["other"])
    }

    /// The keychain tells when a conflict begins and ends.
    @Test func conflictsAreTold() async throws {
        var changes = try await keychain(0).conflictChanges().makeAsyncIterator()
        let both = try await conflicting(.lastWriter)
        guard case .began(let conflict)? = try await changes.next() else {
            Issue.record("no conflict was told")
            return
        }
        #expect(conflict.name == keychain(0).name("n"))
        #expect(conflict.part == .field(.secret))
        #expect(conflict.revisions.map(\.isShown) == [true, false])
        #expect(conflict.revisions.count(where: \.isOwn) == 1)
        #expect(Set(conflict.revisions.map(\.machine)) == ["desk", "laptop"])
        var values: Set<String> = []
        for revision in conflict.revisions {
            let bytes = try await keychain(0).bytes(of: revision, in: conflict)
            values.insert(String(decoding: bytes, as: UTF8.self))
        }
        #expect(values == [#"{"record":{"text":"desk"}}"#, #"{"record":{"text":"laptop"}}"#])
        try await both[0].decide()
        circle.exchange()
        #expect(try await changes.next() == .ended(conflict))
        await #expect(throws: KeychainError(.changedMeanwhile, "")) {
            try await keychain(0).resolve(conflict, taking: conflict.revisions[0])
        }
    }
}
