import Synchronization
import Testing

@testable import Coffer
@testable import CofferSettings

@Suite struct SettingsChangesTests {
    private let size = SettingKey("size", default: 12)

    @Test func aSlowReaderMissesNoName() async throws {
        let settings = Settings(backend: InMemorySettings(["size": 1, "a": 1]), batch: .seconds(3600))
        var changes = settings.changes().makeAsyncIterator()
        for number in 0..<1000 { try settings.set(number, for: SettingKey("\(number)", default: -1)) }
        try settings.remove(size)
        try settings.set(1, for: SettingKey("a", default: 0))
        let change = await changes.next()
        #expect(change?.names == Set((0..<1000).map { "\($0)" } + ["size"]))
        #expect(change?.origin == .here)
        // Writing what is in memory changes nothing.
        try await settings.flush()
        try settings.reset()
        #expect(await changes.next()?.names.contains("a") == true)
    }

    /// Nobody but the reader keeps the settings.
    @Test func aReaderKeepsItsSettings() async throws {
        let backend = InMemorySettings()
        var changes = Settings(backend: backend).changes().makeAsyncIterator()
        let other = Settings(backend: backend)
        try other.set(2, for: size)
        try await other.flush()
        #expect(await changes.next()?.names == ["size"])

        func failures() throws -> (stream: AsyncStream<SettingsError>, settings: Weak) {
            let settings = Settings(backend: backend, batch: .zero)
            let stream = settings.failures()
            try settings.set(3, for: size)
            return (stream, Weak(settings))
        }
        backend.fail(with: SettingsError(.damaged, "it is damaged"))
        var reading: (stream: AsyncStream<SettingsError>, settings: Weak)? = try failures()
        var iterator = reading?.stream.makeAsyncIterator()
        #expect(await iterator?.next()?.code == .damaged)
        let weak = try #require(reading?.settings)
        #expect(weak.settings != nil)
        // What nobody reads is gone. The write that has failed may still let go of it.
        iterator = nil
        reading = nil
        while weak.settings != nil { await Task.yield() }
    }

    private struct Weak {
        weak var settings: Settings?

        init(_ settings: Settings) { self.settings = settings }
    }

    /// Settings whose file is seen by a reader before the write that has changed it returns.
    private final class SeenEarly: SettingsBackend {
        let inner = InMemorySettings()
        let reader = Mutex<Settings?>(nil)

        func read() throws(SettingsError) -> SettingsContent { try inner.read() }
        func stamp() throws(SettingsError) -> SettingsStamp { try inner.stamp() }
        func notices() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
        func setAsideDamaged() async throws(SettingsError) -> String? { nil }

        func change(
            _ body: (inout [String: SettingsJSON]) throws(SettingsError) -> Void
        ) async throws(SettingsError) -> SettingsContent {
            let content = try await inner.change(body)
            try reader.withLock { $0 }?.memory.refresh()
            return content
        }
    }

    @Test func anUpdateOfItsOwnIsNotFromElsewhere() async throws {
        let backend = SeenEarly()
        let settings = Settings(backend: backend, batch: .seconds(3600))
        var changes = settings.changes().makeAsyncIterator()
        backend.reader.withLock { $0 = settings }
        try await settings.update { (draft) throws(SettingsError) in
            try draft.set(7, for: SettingKey("size", default: 12))
        }
        #expect(await changes.next() == SettingsChange(names: ["size"], origin: .here))
        // Another program's change of the same setting is not taken for this one.
        let other = Settings(backend: backend.inner)
        try await other.update { (draft) throws(SettingsError) in
            try draft.set(8, for: SettingKey("size", default: 12))
        }
        try settings.memory.refresh()
        #expect(await changes.next() == SettingsChange(names: ["size"], origin: .elsewhere))
        backend.reader.withLock { $0 = nil }
    }

    @Test func changesOfOthersCome() async throws {
        let fixture = try SettingsFixture()
        let settings = fixture.settings()
        try settings.set(1, for: size)
        try await settings.flush()
        var changes = settings.changes().makeAsyncIterator()
        let other = fixture.settings()
        try other.set(2, for: size)
        try await other.flush()
        #expect(await changes.next() == SettingsChange(names: ["size"], origin: .elsewhere))
        #expect(try settings.value(for: size) == 2)
    }

    @Test func changesOfAnotherProcessCome() async throws {
        let fixture = try SettingsFixture()
        let settings = fixture.settings()
        var values = settings.changes(of: SettingKey("n", default: 0)).makeAsyncIterator()
        let writer = try fixture.writer("count", "n", 30)
        try writer.begin()
        var last = 0
        while last < 30, let value = await values.next() {
            #expect(value > last)
            last = value
        }
        #expect(last == 30)
        try writer.succeed()
    }

    /// The folder is removed and made anew under the watch.
    @Test func aNewFolderIsWatchedToo() async throws {
        let fixture = try SettingsFixture()
        let settings = fixture.settings()
        try settings.set(1, for: size)
        try await settings.flush()
        var values = settings.changes(of: size).makeAsyncIterator()
        try fixture.removeFolder()
        #expect(await values.next() == 12)
        let other = fixture.settings()
        try other.set(3, for: size)
        try await other.flush()
        #expect(await values.next() == 3)
    }

    @Test func aCancelledReaderEnds() async throws {
        let fixture = try SettingsFixture()
        let settings = fixture.settings()
        let reader = Task { [size] in
            var count = 0
            for await _ in settings.changes(of: size) { count += 1 }
            return count
        }
        reader.cancel()
        #expect(await reader.value == 0)
    }
}
