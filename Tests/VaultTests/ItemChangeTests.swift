import Foundation
import SQLite
import Synchronization
import Testing

@testable import Vault

/// What an open vault tells its observer about changes.
struct ItemChangeTests {
    /// Notes what it was told, and what the file had at that moment.
    private final class Observer: Sendable {
        private let fixture: VaultFixture
        private let state = Mutex<[(changes: [CommittedChange], items: Int)]>([])

        init(_ fixture: VaultFixture) { self.fixture = fixture }

        func note(_ changes: [CommittedChange]) {
            // `try?`: no test expects -1 items.
            let items = try? fixture.itemsInFile()
            state.withLock { $0.append((changes, items ?? -1)) }
        }

        func take() -> [(changes: [CommittedChange], items: Int)] {
            state.withLock { state in
                defer { state = [] }
                return state
            }
        }
    }

    private func open(_ room: Room = Room()) throws -> (VaultFixture, OpenVault, Observer) {
        let fixture = try VaultFixture()
        let observer = Observer(fixture)
        let vault = try OpenVault(
            directory: fixture.folder.path, record: fixture.record, sealer: fixture.sealer, now: SystemClock.now,
            logLimit: AccessLogLimits.size, room: room, onChange: observer.note)
        return (fixture, vault, observer)
    }

    @Test("each change is told once, when it is in the file")
    func committed() throws {
        let (_, vault, observer) = try open()
        let (first, _) = try vault.set(.make("s", "a", "v"))
        let (second, _) = try vault.set(.make("s", "a", "w"))
        let edited = try vault.edit(second, changes: MetadataChanges(label: "l"))
        let renamed = try vault.rename(edited, service: "t", account: "b")
        try vault.delete(renamed)
        let told = observer.take()
        #expect(
            told.map(\.changes) == [
                [.added(first)], [.updated(second, from: first)], [.updated(edited, from: second)],
                [.updated(renamed, from: edited)], [.deleted(renamed)],
            ])
        #expect(told.map(\.items) == [1, 1, 1, 1, 0])
    }

    @Test("the changes of one transaction are told together, in their order")
    func together() throws {
        let (_, vault, observer) = try open()
        let items = try ["a", "b", "c"].map { try vault.set(.make("s", $0, "v")).item }
        _ = observer.take()
        try vault.write { (change) throws(VaultError) in
            for item in items { try change.remove(change.present(item)) }
        }
        let told = observer.take()
        #expect(told.map(\.changes) == [items.map { .deleted($0) }] && told.map(\.items) == [0])
    }

    @Test("a change that fails is not told, nor one that changes no item")
    func rolledBack() throws {
        let (_, vault, observer) = try open(Room(items: 1))
        let (item, _) = try vault.set(.make("s", "a", "v"))
        _ = observer.take()
        #expect(vaultError { try vault.set(.make("s", "b", "v")) } == .limitExceeded)
        #expect(vaultError { try vault.set(.make("s", "a", "v"), mode: .new) } == .alreadyExists)
        try vault.rename(item, service: "s", account: "a")
        #expect(observer.take().isEmpty)
    }

    @Test("if the disk fails after the commit, the observer is told that nobody knows")
    func unknown() throws {
        let (fixture, vault, observer) = try open()
        try vault.set(.make("s", "a", "v"))
        _ = observer.take()
        try withoutWriting(fixture.path) { #expect(vaultError { try vault.set(.make("s", "b", "v")) } == .storage) }
        #expect(observer.take().map(\.changes) == [[.unknown]])
    }
}

extension VaultFixture {
    /// The number of items in the file itself, without what is not committed.
    func itemsInFile() throws -> Int {
        let copy = folder.path + "/\(UInt64.random(in: 0 ... .max))"
        try Data(contentsOf: URL(fileURLWithPath: path)).write(to: URL(fileURLWithPath: copy))
        defer { try? FileManager.default.removeItem(atPath: copy) }  // A folder of the test's own.
        var count = 0
        try change(copy) { count = try $0.number("SELECT COUNT(*) FROM item") ?? -1 }
        return count
    }
}
