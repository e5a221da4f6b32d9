import Glibc
import Platform
import Testing

@testable import Coffer
@testable import CofferSettings

/// Several real processes on one file.
@Suite(.serialized) struct SettingsProcessTests {
    private let fixture: SettingsFixture

    init() throws { fixture = try SettingsFixture() }

    @Test func twoProcessesThatWriteAtOnceLoseNothing() throws {
        let writers = try ["a", "b"].map { try fixture.writer("fill", $0, 500) }
        for writer in writers { try writer.begin() }
        for writer in writers { try writer.succeed() }
        let settings = fixture.settings()
        #expect(try settings.names().count == 1000)
        for name in ["a", "b"] {
            for number in 0..<500 {
                #expect(try settings.value(for: SettingKey("\(name)-\(number)", default: -1)) == number)
            }
        }
    }

    @Test func threeProcessesThatCountTheSameLoseNothing() throws {
        let writers = try (0..<3).map { _ in try fixture.writer("count", "n", 200) }
        for writer in writers { try writer.begin() }
        for writer in writers { try writer.succeed() }
        #expect(try fixture.settings().value(for: SettingKey("n", default: 0)) == 600)
    }

    @Test func partsOfOnePreferenceAreKept() async throws {
        let writers = try ["a", "b"].map { try fixture.writer("versioned", $0, 100) }
        for writer in writers { try writer.begin() }
        for writer in writers { try writer.succeed() }
        struct Counters: Codable, Sendable { var values: [String: Int] = [:] }
        let counters = VersionedSettings(backend: fixture.backend(), version: 1, default: Counters())
        #expect(try await counters.load().values == ["a": 100, "b": 100])
    }

    /// Whatever moment a process is killed at, and whenever others read.
    @Test func everybodySeesWholeWritesOnly() throws {
        let (left, right) = (SettingKey("left", default: ""), SettingKey("right", default: ""))
        for round in 1...8 {
            let writer = try fixture.writer("pairs", "", 100_000)
            try writer.begin()
            var seen = 0
            var last = try fixture.backend().stamp()
            while seen < round * 3 {
                let content = try fixture.backend().read()
                #expect(content.values["left"] == content.values["right"])
                if content.stamp != last {
                    seen += 1
                    last = content.stamp
                }
            }
            writer.signal(SIGKILL)
            #expect(try writer.wait(until: nil) == 128 + SIGKILL)
            let settings = fixture.settings()
            let value = try settings.value(for: left)
            #expect(value.utf8.count == 100_000)
            #expect(Set(value).count == 1)
            #expect(try settings.value(for: right) == value)
        }
        // What the last one left behind holds nobody up.
        let writer = try fixture.writer("count", "n", 1)
        try writer.begin()
        try writer.succeed()
        #expect(Set(try Folder.entries(fixture.folder)).isSubset(of: ["app.json", ".app.lock"]))
    }

    /// A process that is stopped while it holds the lock.
    @Test func aLockThatIsHeldIsWaitedForAndThenToldOf() async throws {
        let settings = Settings(backend: fixture.backend(patience: .milliseconds(50)), batch: .seconds(3600))
        let key = SettingKey("a", default: 0)
        try settings.set(1, for: key)
        try await settings.flush()
        let lock = try FileLock(path: fixture.folder + "/.app.lock")
        try settings.set(2, for: key)
        #expect(await asyncCode { try await settings.flush() } == .busy)
        #expect(try fixture.settings().value(for: key) == 1)
        lock.keep()
        _ = consume lock
        try await settings.flush()
        #expect(try fixture.settings().value(for: key) == 2)
    }

    @Test func aWriteWaitsForTheLock() async throws {
        let settings = fixture.settings()
        try settings.set(1, for: SettingKey("a", default: 0))
        try await settings.flush()
        let lock = try FileLock(path: fixture.folder + "/.app.lock")
        try settings.set(2, for: SettingKey("a", default: 0))
        let write = Task { try await settings.flush() }
        // It can do nothing meanwhile, however long that takes.
        try await Task.sleep(for: .milliseconds(30))
        #expect(try fixture.settings().value(for: SettingKey("a", default: 0)) == 1)
        lock.keep()
        _ = consume lock
        try await write.value
        #expect(try fixture.settings().value(for: SettingKey("a", default: 0)) == 2)
    }

    private func isFree(_ name: String) throws -> Bool {
        if let lock = try FileLock(unlessHeld: name, in: try OpenFolder(fixture.folder), mode: 0o600) {
            lock.keep()
            return true
        }
        return false
    }

    @Test func aLockOfAFolderIsOneHoldersAtATime() throws {
        do {
            let first = try FileLock(path: fixture.folder + "/.x")
            #expect(try !isFree(".x"))
            #expect(try isFree(".y"))
            first.keep()
        }
        #expect(try isFree(".x"))
        #expect(try FileStatus.of(fixture.folder + "/.y")?.mode == 0o600)
    }
}
