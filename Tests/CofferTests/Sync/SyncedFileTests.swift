import Coffer
import CofferSettings
import CofferTestKit
import Synchronization
import Testing

@testable import CofferSync

/// A file of settings. Its first write waits for a test's gates.
final class GatedSettings: SettingsBackend {
    let file = InMemorySettings()
    /// Before and after the file has the values.
    private let before: Mutex<Gate?>
    private let after: Mutex<Gate?>

    init(before: Gate? = nil, after: Gate? = nil) {
        self.before = Mutex(before)
        self.after = Mutex(after)
    }

    private static func take(_ gate: inout Gate?) -> Gate? {
        defer { gate = nil }
        return gate
    }

    func read() throws(SettingsError) -> SettingsContent { try file.read() }

    func stamp() throws(SettingsError) -> SettingsStamp { try file.stamp() }

    func change(
        _ body: (inout [String: SettingsJSON]) throws(SettingsError) -> Void
    ) async throws(SettingsError) -> SettingsContent {
        await before.withLock { Self.take(&$0) }?.pass()
        let content = try await file.change(body)
        await after.withLock { Self.take(&$0) }?.pass()
        return content
    }

    func notices() -> AsyncStream<Void> { file.notices() }

    func setAsideDamaged() async throws(SettingsError) -> String? { nil }
}

/// The file that keeps the values for the next start, and what other programs of this machine write there.
struct SyncedFileTests {
    private let theme = SettingKey("theme", default: "none")
    private let local = Settings(backend: InMemorySettings())

    private func settings(
        _ cache: any SettingsBackend, _ exchanges: SyncedSettings.Exchanges = .onDemand
    ) -> SyncedSettings {
        SyncedSettings(
            keychain: Keychain(service: "app", backend: InMemoryKeychain()), local: local, cache: cache,
            exchanges: exchanges)
    }

    /// An application flushes and ends. Another write may be under way just then.
    @Test(arguments: [false, true]) func aFlushDuringAWriteIsDoneWhenItReturns(isFailing: Bool) async throws {
        let gate = Gate()
        let cache = GatedSettings(before: gate)
        let settings = settings(cache)
        try settings.set("dark", for: theme)
        let first = Task { await asyncCode { try await settings.flush() } }
        try #require(try await eventually { gate.waiting == 1 })
        try settings.set("light", for: theme)
        let ended = Tally()
        let second = Task {
            let code = await asyncCode { try await settings.flush() }
            ended.add()
            return code
        }
        #expect(try await eventually { settings.store.waiters == 1 || ended.count == 1 })
        if isFailing { cache.file.fail(with: SettingsError(.unavailable, "there is no room")) }
        gate.open()
        let code: SettingsError.Code? = isFailing ? .unavailable : nil
        #expect(await first.value == code)
        #expect(await second.value == code)
        cache.file.fail(with: nil)
        let written: SettingsJSON? = isFailing ? nil : .string("light")
        #expect(try cache.file.read().values["=theme"] == written)
        // What could not be written is tried again.
        try await settings.flush()
        #expect(try cache.file.read().values["=theme"] == .string("light"))
    }

    /// What another program writes while a write is under way is newer than what that write gives back.
    @Test func anOlderContentReplacesNoNewerOne() async throws {
        let gate = Gate()
        let cache = GatedSettings(after: gate)
        let (one, other) = (settings(cache), settings(cache))
        try one.set("14", for: SettingKey("size", default: "none"))
        let write = Task { try await one.flush() }
        try #require(try await eventually { gate.waiting == 1 })
        try other.set("light", for: theme)
        try await other.flush()
        let exchange = Task { try await one.synchronize() }
        try #require(try await eventually { one.sharedNames == ["size", "theme"] })
        gate.open()
        try await write.value
        try await exchange.value
        #expect(one.sharedNames == ["size", "theme"])
    }

    @Test func aRemovalWithoutACircleWaitsForNothing() async throws {
        // Settings of a circle that this machine has left.
        let names = (0..<10).map { "n\($0)" }
        let stored = names.map { ("=" + $0, SettingsJSON.integer(1)) }
        let cache = InMemorySettings(Dictionary(uniqueKeysWithValues: stored))
        let settings = settings(cache)
        try #require(settings.sharedNames == names && settings.pendingNames == [])
        for name in names { try settings.remove(SettingKey(name, default: 0)) }
        try settings.set("dark", for: theme)
        #expect(settings.pendingNames == ["theme"])
        try await settings.flush()
        #expect(try cache.read().values["pending"] == .array([.string("theme")]))
    }

    /// A former version has kept such removals.
    @Test func removalsThatAFileHasKeptAreForgotten() {
        let cache = InMemorySettings([
            "=theme": .string("dark"), "pending": .array([.string("theme"), .string("gone")]),
        ])
        #expect(settings(cache).pendingNames == ["theme"])
    }

    @Test func withoutACircleAnExchangeTakesWhatAnotherProgramHasSet() async throws {
        let cache = InMemorySettings()
        let (one, other) = (settings(cache), settings(cache))
        let changes = other.changes()
        try one.set("dark", for: theme)
        try await one.flush()
        try await other.synchronize()
        try #require(other.sharedNames == ["theme"])
        #expect(await told(changes, 1) == [SyncedSettingsChange(names: ["theme"], reason: .remoteChange)])
    }

    /// Nothing happens in the vault, so there are two exchanges at most. Later values come by the file alone.
    @Test func withoutACircleAnotherProgramIsSeenByItself() async throws {
        let cache = InMemorySettings()
        let (one, other) = (settings(cache), settings(cache, .automatic))
        for number in 0..<4 {
            try one.set("\(number)", for: SettingKey("n\(number)", default: "none"))
            try await one.flush()
            try #require(try await eventually { other.sharedNames.count == number + 1 })
        }
    }

    // MARK: The end of an account

    /// The vault has settings of another machine that were not exchanged here yet.
    @Test func theEndOfAnAccountBringsInNothing() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("theme", "dark")
        try await pair.desk.settings.synchronize()
        pair.circle.exchange()
        try #require(try await pair.laptop.keychain.accounts() == ["theme"])
        try await pair.laptop.settings.deleteEverything(of: "app")
        #expect(try pair.laptop.get("theme") == "none")
        #expect(pair.laptop.settings.sharedNames == [])
        #expect(try await pair.laptop.keychain.accounts().isEmpty)
        try await pair.settle()
        #expect(try pair.desk.get("theme") == "none")
        #expect(try pair.laptop.get("theme") == "none")
    }

    /// Another program has just set something, and this one has not looked at the file since.
    @Test func theEndOfAnAccountEndsWhatAnotherProgramHasSet() async throws {
        let cache = InMemorySettings()
        let (one, other) = (settings(cache), settings(cache))
        try #require(other.sharedNames == [])
        try one.set("dark", for: theme)
        try await one.flush()
        try await other.deleteEverything(of: "app")
        #expect(other.sharedNames == [])
        #expect(settings(cache).sharedNames == [])
    }

    @Test func theEndOfAnAccountCountsWhileTheSwitchIsOff() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("theme", "dark")
        try await pair.settle()
        try pair.laptop.settings.turn(on: false)
        try await pair.laptop.settings.deleteEverything(of: "app")
        #expect(try pair.laptop.get("theme") == "none")
        #expect(try await pair.laptop.keychain.accounts().isEmpty)
        try await pair.settle()
        #expect(try pair.desk.get("theme") == "none")
    }

    /// What is known here goes in any case. The error says that the vault may have more.
    @Test func theEndOfAnAccountEndsWhatIsHereWithoutABroker() async throws {
        let backend = ScriptedBackend()
        let settings = SyncedSettings(
            keychain: Keychain(service: "app", backend: backend), local: local, cache: InMemorySettings(),
            exchanges: .onDemand)
        try settings.set("dark", for: theme)
        backend.edit { $0.failure = KeychainError(.brokerUnreachable, "gone") }
        #expect(await keychainCode { try await settings.deleteEverything(of: "app") } == .brokerUnreachable)
        #expect(try settings.value(for: theme) == "none")
        #expect(try local.names().isEmpty)
    }
}
