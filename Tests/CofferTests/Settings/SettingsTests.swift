import Foundation
import Platform
import Testing

@testable import Coffer
@testable import CofferSettings

@Suite struct SettingsTests {
    private let size = SettingKey("size", default: 12)
    private let name = SettingKey<String?>("name")

    @Test func defaultsAndReset() async throws {
        let settings = Settings(backend: InMemorySettings())
        #expect(try settings.value(for: size) == 12)
        try settings.register(default: 16, for: size)
        #expect(try settings.value(for: size) == 16)
        #expect(try !settings.contains(size))
        try settings.set(20, for: size)
        #expect(try settings.value(for: size) == 20)
        #expect(try settings.contains(size))
        try settings.remove(size)
        try settings.remove(size)
        #expect(try settings.value(for: size) == 16)
        try settings.set(20, for: size)
        try settings.set("a", for: name)
        #expect(try settings.names() == ["name", "size"])
        try settings.reset()
        #expect(try settings.names() == [])
        #expect(try settings.value(for: size) == 16)
        #expect(try settings.value(for: name) == nil)
    }

    /// Before and after the write, for what was in the file and what was not.
    @Test func obsoleteSettingsAreRemoved() async throws {
        let backend = InMemorySettings(["old": 1, "size": 2, "older": 3])
        let settings = Settings(backend: backend, batch: .seconds(3600))
        try settings.set(1, for: SettingKey("new", default: 0))
        try settings.set(1, for: SettingKey("gone", default: 0))
        try settings.removeAll(except: ["size", "new"])
        try settings.set(9, for: SettingKey("older", default: 0))
        #expect(try settings.names() == ["new", "older", "size"])
        try await settings.flush()
        #expect(try backend.read().values == ["new": 1, "older": 9, "size": 2])
        try settings.removeAll(except: ["size", "new"])
        try settings.removeAll(except: ["size", "older"])
        try await settings.flush()
        #expect(try backend.read().values == ["size": 2])
    }

    /// Another process stores something between the removal and its write.
    @Test(arguments: [true, false]) func aRemovalLeavesWhatAnotherStoresLater(all: Bool) async throws {
        let backend = InMemorySettings(["old": 1, "size": 2])
        let settings = Settings(backend: backend, batch: .seconds(3600))
        let other = Settings(backend: backend, batch: .seconds(3600))
        if all { try settings.reset() } else { try settings.removeAll(except: ["size"]) }
        #expect(try settings.names() == (all ? [] : ["size"]))
        try other.set(7, for: SettingKey("later", default: 0))
        try await other.flush()
        #expect(try settings.names() == (all ? ["later"] : ["later", "size"]))
        try await settings.flush()
        #expect(try backend.read().values == (all ? ["later": 7] : ["later": 7, "size": 2]))
    }

    /// A full suite is emptied and filled again before anything is written.
    @Test func aFullSuiteIsEmptiedAndFilled() async throws {
        let backend = InMemorySettings()
        let settings = Settings(backend: backend, batch: .seconds(3600))
        for number in 0..<SettingsLimits.count { try settings.set(1, for: SettingKey("a\(number)", default: 0)) }
        try await settings.flush()
        try settings.reset()
        for number in 0..<SettingsLimits.count { try settings.set(1, for: SettingKey("b\(number)", default: 0)) }
        try await settings.flush()
        #expect(try settings.names().allSatisfy { $0.hasPrefix("b") })
    }

    @Test func aDamagedSuiteCannotBeEmptied() {
        let backend = InMemorySettings()
        backend.fail(with: SettingsError(.damaged, "it is damaged"))
        #expect(code { try Settings(backend: backend).reset() } == .damaged)
    }

    @Test func manyChangesAreOneWrite() async throws {
        let backend = InMemorySettings()
        let settings = Settings(backend: backend, batch: .seconds(3600))
        let before = try backend.stamp()
        for number in 0..<100 { try settings.set(number, for: SettingKey("\(number)", default: -1)) }
        #expect(try backend.stamp() == before)
        try await settings.flush()
        let after = try backend.stamp()
        #expect(after == SettingsStamp(1))
        #expect(try backend.read().values.count == 100)
        try await settings.flush()
        #expect(try backend.stamp() == after)
    }

    @Test func aChangeIsWrittenByItself() async throws {
        let backend = InMemorySettings()
        var notices = backend.notices().makeAsyncIterator()
        _ = await notices.next()
        // The settings themselves are gone before the write.
        try Settings(backend: backend, batch: .milliseconds(1)).set(5, for: size)
        _ = await notices.next()
        #expect(try backend.read().values == ["size": 5])
    }

    @Test func aFailedWriteIsToldAndNothingIsLost() async throws {
        let backend = InMemorySettings()
        let settings = Settings(backend: backend, batch: .milliseconds(1))
        _ = try settings.names()
        backend.fail(with: SettingsError(.unavailable, "the disk is full"))
        var failures = settings.failures().makeAsyncIterator()
        try settings.set(5, for: size)
        #expect(await failures.next()?.code == .unavailable)
        #expect(await asyncCode { try await settings.flush() } == .unavailable)
        backend.fail(with: nil)
        #expect(try settings.value(for: size) == 5)
        try await settings.flush()
        #expect(try backend.read().values == ["size": 5])
    }

    /// The caller has the other errors already.
    @Test func failuresAreThoseOfWritesThatNobodyWaitsFor() async throws {
        let backend = InMemorySettings()
        let settings = Settings(backend: backend, batch: .milliseconds(1))
        _ = try settings.names()
        var failures = settings.failures().makeAsyncIterator()
        let mine = await asyncCode {
            try await settings.update { (_) throws(SettingsError) -> Void in throw SettingsError(.wrongType, "mine") }
        }
        #expect(mine == .wrongType)
        backend.fail(with: SettingsError(.busy, "busy"))
        #expect(await asyncCode { try await settings.flush() } == .busy)
        backend.fail(with: SettingsError(.unavailable, "the disk is full"))
        try settings.set(5, for: size)
        #expect(await failures.next()?.code == .unavailable)
    }

    @Test func anUpdateIsAllOrNothing() async throws {
        let backend = InMemorySettings(["size": 1])
        let settings = Settings(backend: backend, batch: .seconds(3600))
        let size = size
        let name = name
        try settings.set("pending", for: name)
        let result = try await settings.update { (draft) throws(SettingsError) in
            #expect(try draft.value(for: name) == "pending")
            try draft.set(draft.value(for: size) + 1, for: size)
            draft.remove(name)
            return try draft.value(for: size)
        }
        #expect(result == 2)
        #expect(try backend.read().values == ["size": 2])
        #expect(try settings.value(for: name) == nil)
        let refused = await asyncCode {
            try await settings.update { (draft) throws(SettingsError) in
                try draft.set(3, for: size)
                try draft.set(.nan, for: SettingKey("x", default: 0.0))
            }
        }
        #expect(refused == .notStorable)
        #expect(try backend.read().values == ["size": 2])
        #expect(try settings.value(for: size) == 2)
    }

    /// Each value of Settings has a memory of its own, as processes have.
    @Test func changesOfOthersAreSeenAndKept() async throws {
        let backend = InMemorySettings()
        let (left, right) = (
            Settings(backend: backend, batch: .seconds(3600)), Settings(backend: backend, batch: .seconds(3600))
        )
        try left.set(1, for: SettingKey("left", default: 0))
        try right.set(2, for: SettingKey("right", default: 0))
        try left.set(3, for: size)
        try right.set(4, for: size)
        try await left.flush()
        #expect(try right.value(for: SettingKey("left", default: 0)) == 1)
        #expect(try right.value(for: size) == 4)
        try await right.flush()
        #expect(try left.value(for: SettingKey("right", default: 0)) == 2)
        #expect(try left.value(for: size) == 4)
        #expect(try backend.read().values == ["left": 1, "right": 2, "size": 4])
    }

    @Test func tasksOfOneProcessLoseNothing() async throws {
        let settings = Settings(backend: InMemorySettings(), batch: .milliseconds(1))
        let size = SettingKey("size", default: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        try settings.set(number, for: SettingKey("\(task)-\(number)", default: -1))
                        try await settings.update { (draft) throws(SettingsError) in
                            try draft.set(draft.value(for: size) + 1, for: size)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await settings.flush()
        #expect(try settings.value(for: size) == 400)
        #expect(try settings.names().count == 401)
    }
}

/// Several values of ``Settings`` in one process, for one file.
@Suite struct SharedSettingsTests {
    private let size = SettingKey("size", default: 12)
    private let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    private func settings(folder: String? = nil, batch: Duration = .seconds(3600)) -> Settings {
        Settings(backend: FileSettings(suite: "app", folder: folder ?? fixture.folder), batch: batch)
    }

    @Test func allSeeAtOnceWhatOneHasSet() async throws {
        let one = settings()
        try one.set(5, for: size)
        #expect(try settings().value(for: size) == 5)
        // By another path to the same folder.
        let link = fixture.folder + "-link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: URL(filePath: fixture.folder).deletingLastPathComponent().path)
        defer { unlinkLater(link) }
        let other = settings(folder: link + "/" + URL(filePath: fixture.folder).lastPathComponent)
        #expect(try other.value(for: size) == 5)
        try other.remove(size)
        #expect(try one.value(for: size) == 12)
        // Another process sees what is written.
        #expect(try FileStatus.of(fixture.file) == nil)
        try other.set(6, for: size)
        try await one.flush()
        #expect(try fixture.settings().value(for: size) == 6)
        // Another suite is another memory.
        #expect(try Settings(backend: FileSettings(suite: "b", folder: fixture.folder)).value(for: size) == 12)
    }

    /// Seed code opens the suite at each access.
    @Test func nothingIsLostBetweenTwoAccesses() async throws {
        try settings().register(default: 16, for: size)
        #expect(try settings().value(for: size) == 16)
        // A folder in the place of the new file makes each write fail.
        try Folder.make(fixture.folder + "/.app.json.writing", mode: 0o700)
        try settings(batch: .zero).set(20, for: size)
        #expect(await asyncCode { try await settings().flush() } == .unavailable)
        #expect(try settings().value(for: size) == 20)
        try FileManager.default.removeItem(atPath: fixture.folder + "/.app.json.writing")
        try await settings().flush()
        #expect(try fixture.settings().value(for: size) == 20)
        var changes = settings().changes(of: size).makeAsyncIterator()
        try settings().reset()
        #expect(await changes.next() == 16)
    }

    /// Nobody uses it any longer, and nothing waits to be written.
    @Test func aMemoryThatNobodyUsesIsGone() async throws {
        weak var memory: SettingsMemory?
        do {
            let settings = settings(batch: .milliseconds(1))
            memory = settings.memory
            try settings.set(5, for: size)
            try await settings.flush()
            #expect(memory != nil)
        }
        // The write that was scheduled still has it for a moment.
        #expect(try await eventually { memory == nil })
    }

    @Test func theSoonerOfTwoBatchesCounts() async throws {
        let (slow, quick) = (settings(), settings(batch: .milliseconds(1)))
        try slow.set(5, for: size)
        #expect(try FileStatus.of(fixture.file) == nil)
        try quick.set("a", for: SettingKey<String?>("name"))
        #expect(try await eventually { try FileStatus.of(fixture.file) != nil })
        #expect(try fixture.settings().value(for: size) == 5)
    }

    private func unlinkLater(_ link: String) {
        // `try?`: a link that is left behind harms nobody.
        try? FileManager.default.removeItem(atPath: link)
    }
}
