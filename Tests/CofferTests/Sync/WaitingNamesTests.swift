import Coffer
import CofferSettings
import CofferTestKit
import Synchronization
import Testing

@testable import CofferSync

/// The names that wait for the vault are in the same file as the settings, and take room there.
struct WaitingNamesTests {
    private let theme = SettingKey("theme", default: "none")
    private let backend = InterruptedKeychain()
    private let circle = InMemoryCircle()
    private let local = Settings(backend: InMemorySettings())
    /// With it and a name of the greatest length, as many settings as there can be take all the room.
    private let text = String(repeating: "x", count: SyncLimits.all / SyncLimits.count - SyncLimits.name - 2)

    private func settings(_ cache: InMemorySettings) -> SyncedSettings {
        SyncedSettings(
            keychain: Keychain(service: "app", backend: backend), local: local, cache: cache, exchanges: .onDemand)
    }

    private var stored: Keychain { Keychain(service: "app", itemClass: .setting, backend: backend) }

    /// A name of the greatest length.
    private static func key(_ number: Int) -> SettingKey<String> {
        let digits = "\(number)"
        return SettingKey(digits + String(repeating: "n", count: SyncLimits.name - digits.utf8.count), default: "none")
    }

    @Test func allSettingsCanWait() async throws {
        let cache = InMemorySettings()
        let settings = settings(cache)
        for number in 0..<SyncLimits.count { try settings.set(text, for: Self.key(number)) }
        try await settings.flush()
        let again = self.settings(cache)
        #expect(again.pendingNames.count == SyncLimits.count)
        #expect(again.pendingNames == settings.pendingNames)
        #expect(again.sharedNames == settings.sharedNames)
        #expect(try again.value(for: Self.key(7)) == text)
    }

    /// It has all names in one setting, and does not tell which of them the vault never had.
    @Test func theFileOfAFormerVersionIsRead() async throws {
        let cache = InMemorySettings(["=a": "1", "=b": "2", "pending": ["a", "gone"], "circle": "c"])
        let settings = settings(cache)
        #expect(settings.sharedNames == ["a", "b"])
        #expect(settings.pendingNames == ["a", "gone"])
        try settings.remove(SettingKey("a", default: ""))
        try settings.set("dark", for: theme)
        try await settings.flush()
        #expect(self.settings(cache).pendingNames == ["a", "gone", "theme"])
        #expect(self.settings(cache).sharedNames == ["b", "theme"])
    }

    /// The vault stays sealed, and the application keeps something for each document as long as it is open.
    @Test func whatTheVaultNeverHadLeavesNoName() async throws {
        circle.join(backend.inner, as: "desk")
        let cache = InMemorySettings()
        let settings = settings(cache)
        try await settings.synchronize()
        backend.inner.restart()
        for number in 0..<3_000 {
            try settings.set("1", for: Self.key(number))
            // A start in between changes nothing.
            if number.isMultiple(of: 1_000) { try await settings.flush() }
            try settings.remove(Self.key(number))
        }
        #expect(settings.pendingNames == [])
        try settings.set("dark", for: theme)
        try await settings.flush()
        let again = self.settings(cache)
        #expect(again.pendingNames == ["theme"])
        try again.remove(theme)
        try await again.flush()
        #expect(self.settings(cache).pendingNames == [])
    }

    /// The program ends when the vault has just got a value, and before its file says so.
    @Test func aRemovalAfterTheNextStartReachesTheVault() async throws {
        circle.join(backend.inner, as: "desk")
        let cache = InMemorySettings()
        let settings = settings(cache)
        try settings.set("dark", for: theme)
        try await settings.flush()
        let file = Mutex<[String: SettingsJSON]>([:])
        backend.interrupt {
            let values = try cache.read().values
            file.withLock { $0 = values }
        }
        try await settings.synchronize()
        try #require(try await stored.accounts() == ["theme"])
        let again = self.settings(InMemorySettings(file.withLock { $0 }))
        try again.remove(theme)
        try await again.synchronize()
        #expect(try again.value(for: theme) == "none")
        #expect(try await stored.accounts().isEmpty)
    }

    /// None of these removals may be forgotten. So what is set beside them has a bound, and the file can still be written.
    @Test func removalsOfWhatTheVaultHasWait() async throws {
        circle.join(backend.inner, as: "desk")
        let cache = InMemorySettings()
        let settings = settings(cache)
        for number in 0..<SyncLimits.count { try settings.set("1", for: Self.key(number)) }
        try await settings.synchronize()
        try #require(settings.pendingNames == [])
        backend.inner.restart()
        for number in 0..<SyncLimits.count { try settings.remove(Self.key(number)) }
        try await settings.flush()
        #expect(self.settings(cache).pendingNames.count == SyncLimits.count)
        var count = 0
        while count < SyncLimits.count {
            if let refusal = code({ try settings.set(text, for: Self.key(SyncLimits.count + count)) }) {
                #expect(refusal == .limitExceeded)
                break
            }
            count += 1
        }
        #expect((1..<SyncLimits.count).contains(count))
        try await settings.flush()
        // There is always room for a removal.
        try settings.remove(Self.key(SyncLimits.count))
        try await settings.flush()
        #expect(self.settings(cache).pendingNames.count == SyncLimits.count + count - 1)
        try await Keychain(service: "app", prompts: .handler { _ in "sandbox" }, backend: backend).unlock()
        try await settings.synchronize()
        #expect(settings.pendingNames == [])
        #expect(try await stored.accounts().count == count - 1)
    }

    /// The file cannot be written, and the application goes on.
    @Test func whatIsNotWrittenHasABound() async throws {
        let cache = InMemorySettings()
        let settings = settings(cache)
        cache.fail(with: SettingsError(.unavailable, "there is no room"))
        for number in 0..<SyncLimits.unwritten {
            try settings.set("1", for: Self.key(number))
            try settings.remove(Self.key(number))
            if number.isMultiple(of: 1_000) { try await local.flush() }
        }
        try await local.flush()
        #expect(code { try settings.set("dark", for: theme) } == .limitExceeded)
        try settings.set("2", for: Self.key(7))
        cache.fail(with: nil)
        try await settings.flush()
        try settings.set("dark", for: theme)
        #expect(settings.pendingNames == [Self.key(7).name, "theme"])
    }

    // MARK: What others store

    @Test func aNameThatTheFileRefusesIsLeftOut() async throws {
        circle.join(backend.inner, as: "desk")
        let cache = InMemorySettings()
        let settings = settings(cache)
        for name in ["a\nb", "fine", "\u{7F}"] { try await stored.set("1", for: name) }
        try await settings.synchronize()
        #expect(settings.sharedNames == ["fine"])
        try await settings.flush()
        #expect(try cache.read().values["=fine"] == .integer(1))
        #expect(try await stored.accounts().count == 3)
    }

    /// The sign before a name must not become one with it.
    @Test func aNameMayBeginWithAnAccent() async throws {
        let cache = InMemorySettings()
        let key = SettingKey("\u{301}x", default: "none")
        let first = settings(cache)
        try first.set("dark", for: key)
        try await first.flush()
        let again = settings(cache)
        #expect(try again.value(for: key) == "dark")
        #expect(again.pendingNames == [key.name])
    }

    /// Other programs have filled the service's share of the vault. What has no room here stays there.
    @Test func whatHasNoRoomInTheFileStaysInTheVault() async throws {
        circle.join(backend.inner, as: "desk")
        let cache = InMemorySettings()
        let settings = settings(cache)
        let value = "\"" + String(repeating: "x", count: 998) + "\""
        for number in 0..<SyncLimits.count { try await stored.set(value, for: Self.key(number).name) }
        let changes = settings.changes()
        for _ in 0..<2 { try await settings.synchronize() }
        try await settings.flush()
        let count = settings.sharedNames.count
        #expect((1..<SyncLimits.count).contains(count))
        #expect(self.settings(cache).sharedNames.count == count)
        let told = await told(changes, 2)
        #expect(told.map(\.reason) == [.firstSync, .quota])
        #expect(told[1].names.count == SyncLimits.count - count)
        // Nothing is deleted that is not here.
        circle.remove(backend.inner)
        try await settings.synchronize()
        #expect(settings.sharedNames.count == count)
        #expect(try await stored.accounts().count == SyncLimits.count - count)
    }
}
