import Testing

@testable import Coffer

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
