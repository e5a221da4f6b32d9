import Coffer
import CofferSettings
import CofferSync
import CofferTestKit
import Testing

/// Settings of two machines in memory. A test decides what goes out when.
struct SyncedSettingsTests {
    @Test func whatIsSetHereIsReadThere() async throws {
        let pair = try await SyncedPair()
        let changes = pair.laptop.settings.changes()
        #expect(await told(changes, 1) == [SyncedSettingsChange(names: [], reason: .firstSync)])
        try pair.desk.set("theme", "dark")
        // At once, and nowhere else yet.
        #expect(try pair.desk.get("theme") == "dark")
        #expect(try pair.laptop.get("theme") == "none")
        #expect(pair.desk.settings.pendingNames == ["theme"])
        try await pair.settle()
        #expect(pair.desk.settings.pendingNames == [])
        #expect(try pair.laptop.get("theme") == "dark")
        #expect(await told(changes, 1) == [SyncedSettingsChange(names: ["theme"], reason: .remoteChange)])
        try pair.laptop.settings.remove(SettingKey("theme", default: ""))
        try await pair.settle()
        #expect(try pair.desk.get("theme") == "none")
        #expect(pair.desk.settings.sharedNames == [])
    }

    /// As an application uses them: nobody calls `synchronize`.
    @Test func changesGoOutAndComeInByThemselves() async throws {
        let pair = try await SyncedPair()
        let settings = SyncedSettings(
            keychain: Keychain(service: "app", backend: pair.desk.backend), local: pair.desk.local,
            cache: InMemorySettings())
        let key = SettingKey("theme", default: "none")
        try settings.set("dark", for: key)
        #expect(try await eventually { settings.pendingNames.isEmpty && !settings.sharedNames.isEmpty })
        pair.circle.exchange()
        try await pair.laptop.settings.synchronize()
        #expect(try pair.laptop.get("theme") == "dark")
        try pair.laptop.set("theme", "light")
        try await pair.laptop.settings.synchronize()
        pair.circle.exchange()
        #expect(try await eventually { try settings.value(for: key) == "light" })
    }

    /// The last writer counts, and nobody is told of a conflict.
    @Test func bothSetOne() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("theme", "dark")
        try await pair.desk.settings.synchronize()
        try pair.laptop.set("theme", "light")
        try await pair.laptop.settings.synchronize()
        try await pair.settle()
        #expect(try pair.desk.get("theme") == pair.laptop.get("theme"))
        #expect(try await pair.desk.keychain.conflicts().isEmpty)
        #expect(try await pair.desk.keychain.sharing().conflicts == 0)
    }

    @Test func aChangeOfOnesOwnIsNotTold() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("a", "1")
        try await pair.settle()
        try pair.laptop.set("b", "2")
        try await pair.settle()
        // The first reader gets what came before it: its own "a" is not among it.
        #expect(
            await told(pair.desk.settings.changes(), 2) == [
                SyncedSettingsChange(names: [], reason: .firstSync),
                SyncedSettingsChange(names: ["b"], reason: .remoteChange),
            ])
    }

    /// Reads and sets work without a broker, without an unlock and before the first exchange, and nothing is lost.
    @Test func whatIsSetWhileTheVaultIsSealedGoesOutLater() async throws {
        let pair = try await SyncedPair()
        try pair.laptop.set("kept", "before")
        try await pair.settle()
        pair.desk.backend.restart()
        try pair.desk.set("theme", "dark")
        #expect(try pair.desk.get("theme") == "dark")
        #expect(try pair.desk.get("kept") == "before")
        try pair.laptop.set("kept", "after")
        try await pair.laptop.settings.synchronize()
        pair.circle.exchange()
        await #expect(throws: KeychainError(.locked, "")) { try await pair.desk.settings.synchronize() }
        #expect(try pair.desk.get("kept") == "before")
        #expect(pair.desk.settings.pendingNames == ["theme"])
        // The application ends meanwhile.
        try await pair.desk.settings.flush()
        let again = pair.desk.restarted()
        #expect(try again.value(for: SettingKey("theme", default: "none")) == "dark")
        let owner = Keychain(service: "app", prompts: .handler { _ in "sandbox" }, backend: pair.desk.backend)
        try await owner.unlock()
        try await again.synchronize()
        #expect(try again.value(for: SettingKey("kept", default: "none")) == "after")
        pair.circle.exchange()
        try await pair.laptop.settings.synchronize()
        #expect(try pair.laptop.get("theme") == "dark")
    }

    /// Without a circle nothing gets into the vault: so the policy decides when there is one.
    @Test func withoutACircleTheyStayHere() async throws {
        let desk = try SyncedMachine()
        try desk.set("theme", "dark")
        try await desk.settings.synchronize()
        #expect(try await desk.keychain.list().isEmpty)
        #expect(try desk.get("theme") == "dark")
    }

    // MARK: The first sync

    static let policies: [(name: String, policy: FirstSync, theme: String, changed: Bool)] = [
        ("remote", .remote, "dark", true), ("local", .local, "light", false),
        (
            "merge",
            .merge { _, local, remote in
                guard case .string(let here) = local, case .string(let there) = remote else { return remote }
                return .string("\(there)+\(here)")
            }, "dark+light", true
        ),
    ]

    @Test(arguments: 0..<3) func thePolicyDecidesWhoWins(_ place: Int) async throws {
        let one = Self.policies[place]
        let pair = try await SyncedPair(firstSync: one.policy, joined: false)
        try pair.desk.set("theme", "dark")
        try pair.desk.set("only desk", "1")
        try await pair.desk.settings.synchronize()
        try pair.laptop.set("theme", "light")
        try pair.laptop.set("only laptop", "2")
        // What was set before there were shared settings goes out, too: the first upload.
        try pair.laptop.local.set("3", for: SettingKey("of before", default: ""))
        pair.circle.exchange()
        pair.circle.join(pair.laptop.backend, as: "laptop")
        // Nothing of the others is here yet, so nothing is decided.
        try await pair.laptop.settings.synchronize()
        #expect(try await pair.laptop.keychain.list().isEmpty)
        try await pair.settle()
        for machine in [pair.desk, pair.laptop] {
            #expect(try machine.get("theme") == one.theme)
            #expect(try machine.get("only desk") == "1")
            #expect(try machine.get("only laptop") == "2")
            #expect(try machine.get("of before") == "3")
        }
        let names: Set<String> = one.changed ? ["theme", "only desk"] : ["only desk"]
        #expect(
            await told(pair.laptop.settings.changes(), 1) == [SyncedSettingsChange(names: names, reason: .firstSync)])
    }

    /// Another circle: what this machine has meets what the others there have, and the reason says so.
    @Test func anotherCircleIsNamed() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("theme", "dark")
        try await pair.settle()
        let changes = pair.laptop.settings.changes()
        _ = await told(changes, 2)
        pair.circle.remove(pair.laptop.backend)
        try await pair.laptop.settings.synchronize()
        #expect(try pair.laptop.get("theme") == "dark")
        #expect(try await pair.laptop.keychain.list().isEmpty)
        let other = InMemoryCircle()
        let work = try SyncedMachine()
        other.join(work.backend, as: "work")
        try work.set("theme", "grey")
        try await work.settings.synchronize()
        other.exchange()
        other.join(pair.laptop.backend, as: "laptop")
        other.exchange()
        try await pair.laptop.settings.synchronize()
        #expect(try pair.laptop.get("theme") == "grey")
        #expect(await told(changes, 1) == [SyncedSettingsChange(names: ["theme"], reason: .otherCircle)])
        // The circle that was left has lost nothing.
        try await pair.desk.settings.synchronize()
        #expect(try pair.desk.get("theme") == "dark")
    }

    /// A laptop whose application was closed when the last settings came, and which has left the circle since.
    private static func leaving() async throws -> SyncedPair {
        let pair = try await SyncedPair()
        try pair.desk.set("theme", "dark")
        try await pair.settle()
        try await pair.laptop.settings.flush()
        try pair.desk.set("theme", "light")
        try pair.desk.set("size", "14")
        try await pair.desk.settings.synchronize()
        pair.circle.exchange()
        pair.circle.remove(pair.laptop.backend)
        return pair
    }

    /// They stay on this machine. What is no setting of the application is left alone.
    @Test func whatCameWhileTheApplicationWasClosedStaysAfterLeaving() async throws {
        let pair = try await Self.leaving()
        try await pair.laptop.keychain.set([0xFF] as [UInt8], for: "odd")
        try await pair.laptop.keychain.set("1", for: "window")
        let again = pair.laptop.restarted(names: ["theme", "size", "odd"])
        try await again.synchronize()
        #expect(try again.value(for: SettingKey("theme", default: "none")) == "light")
        #expect(try again.value(for: SettingKey("size", default: "none")) == "14")
        #expect(try await pair.laptop.keychain.accounts() == ["odd", "window"])
        // Also at the next start.
        let later = pair.laptop.restarted()
        #expect(try later.value(for: SettingKey("theme", default: "none")) == "light")
        #expect(try later.value(for: SettingKey("size", default: "none")) == "14")
    }

    /// The vault keeps them until the application's own file has them.
    @Test func nothingIsDeletedThatNoFileHas() async throws {
        let pair = try await Self.leaving()
        let again = pair.laptop.restarted()
        pair.laptop.cache.fail(with: SettingsError(.unavailable, "there is no room"))
        try await again.synchronize()
        #expect(try await pair.laptop.keychain.accounts() == ["size", "theme"])
        pair.laptop.cache.fail(with: nil)
        try await again.synchronize()
        #expect(try await pair.laptop.keychain.accounts().isEmpty)
        #expect(try pair.laptop.restarted().value(for: SettingKey("theme", default: "none")) == "light")
    }

    /// The application was ended after it had deleted an item, and before its file said that it has left.
    @Test func leavingThatWasBrokenOffRemovesNoSetting() async throws {
        let pair = try await Self.leaving()
        try await pair.laptop.keychain.delete("theme")
        let again = pair.laptop.restarted()
        try await again.synchronize()
        #expect(try again.value(for: SettingKey("theme", default: "none")) == "dark")
        #expect(try again.value(for: SettingKey("size", default: "none")) == "14")
        #expect(try await pair.laptop.keychain.accounts().isEmpty)
    }

    // MARK: The switch and the local settings

    @Test func theSwitchKeepsWhatIsThere() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("theme", "dark")
        try await pair.settle()
        try pair.laptop.settings.turn(on: false)
        #expect(!pair.laptop.settings.isOn)
        #expect(try pair.laptop.get("theme") == "dark")
        try pair.laptop.set("theme", "light")
        try pair.desk.set("size", "14")
        try await pair.settle()
        #expect(try pair.desk.get("theme") == "dark")
        #expect(try pair.laptop.get("size") == "none")
        #expect(try pair.laptop.get("theme") == "light")
        // It stays off after a start.
        try await pair.laptop.settings.flush()
        #expect(!pair.laptop.restarted().isOn)
        try pair.laptop.settings.turn(on: true)
        try await pair.settle()
        #expect(try pair.laptop.get("theme") == "dark")
        #expect(try pair.laptop.get("size") == "14")
    }

    @Test func aKeyThatNobodySharesIsLocal() async throws {
        let pair = try await SyncedPair()
        try pair.laptop.local.set("here", for: SettingKey("place", default: ""))
        #expect(try pair.laptop.get("place") == "here")
        let picky = SyncedSettings(
            keychain: Keychain(service: "picky", backend: pair.desk.backend), local: pair.desk.local,
            cache: InMemorySettings(), names: ["theme"], exchanges: .onDemand)
        try picky.set("x", for: SettingKey("window", default: ""))
        try picky.set("dark", for: SettingKey("theme", default: ""))
        try await picky.synchronize()
        let stored = Keychain(service: "picky", itemClass: .setting, backend: pair.desk.backend)
        #expect(try await stored.accounts() == ["theme"])
        #expect(try picky.value(for: SettingKey("window", default: "")) == "x")
    }

    // MARK: Quota

    @Test func whatIsTooMuchIsRefusedAndTold() async throws {
        let pair = try await SyncedPair()
        let settings = pair.desk.settings
        for number in 0..<SyncLimits.count { try pair.desk.set("n\(number)", "1") }
        #expect(throws: SettingsError(.limitExceeded, "")) { try pair.desk.set("one more", "1") }
        try pair.desk.set("n7", "2")
        #expect(throws: SettingsError(.limitExceeded, "")) {
            try pair.desk.set("n8", String(repeating: "x", count: SyncLimits.value))
        }
        #expect(throws: SettingsError(.invalidName, "")) {
            try pair.desk.set(String(repeating: "n", count: SyncLimits.name + 1), "1")
        }
        #expect(try pair.desk.get("n8") == "1")
        try await pair.settle()
        #expect(pair.laptop.settings.sharedNames.count == SyncLimits.count)
        #expect(try pair.laptop.get("n7") == "2")
        let told = await told(settings.changes(), 2)
        #expect(told.contains(SyncedSettingsChange(names: ["one more", "n8"], reason: .quota)))
    }

    @Test func allTogetherHaveALimit() async throws {
        let desk = try SyncedMachine()
        let text = String(repeating: "x", count: 60_000)
        var count = 0
        while count < 100 {
            do { try desk.set("n\(count)", text) } catch let error as SettingsError {
                #expect(error.code == .limitExceeded)
                break
            }
            count += 1
        }
        #expect(count == SyncLimits.all / 60_005)
        // What takes no more room is set.
        try desk.set("n0", String(repeating: "y", count: 60_000))
    }

    /// The vault has no room: other programs have filled it. Only what has no room waits, and it is told once.
    @Test func aFullVaultLosesNothing() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("a", "1")
        try pair.desk.set("b", "2")
        for number in 0..<SyncLimits.count - 1 { try await pair.desk.keychain.set("1", for: "other \(number)") }
        for _ in 0..<2 { try await pair.desk.settings.synchronize() }
        try #require(pair.desk.settings.pendingNames == ["b"])
        #expect(try pair.desk.get("b") == "2")
        let told = await told(pair.desk.settings.changes(), 3)
        #expect(told.map(\.reason) == [.firstSync, .remoteChange, .quota])
        #expect(told[2].names == ["b"])
        try await pair.desk.keychain.delete("other 7")
        try await pair.desk.settings.synchronize()
        #expect(pair.desk.settings.pendingNames == [])
    }

    // MARK: What others write

    /// A member writes what is no setting (attacker 13). It is left out, and nothing else is lost.
    @Test func whatIsNoValueIsLeftOut() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("theme", "dark")
        try await pair.settle()
        for (account, bytes) in [("theme", [0xFF]), ("deep", Array(String(repeating: "[", count: 999).utf8))] {
            try await pair.desk.keychain.set(bytes as [UInt8], for: account)
        }
        pair.circle.exchange()
        try await pair.laptop.settings.synchronize()
        #expect(try pair.laptop.get("theme") == "dark")
        #expect(try pair.laptop.get("deep") == "none")
        // The application's next value takes its place.
        try pair.laptop.set("theme", "light")
        try await pair.settle()
        #expect(try pair.desk.get("theme") == "light")
    }

    /// A value of another type is an error, as in local settings, and takes nothing away.
    @Test func anotherTypeIsAnError() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("size", "big")
        try await pair.settle()
        #expect(throws: SettingsError(.wrongType, "")) {
            try pair.laptop.settings.value(for: SettingKey("size", default: 12))
        }
    }

    @Test func aReaderThatIsSlowHoldsFewThings() async throws {
        let pair = try await SyncedPair()
        let changes = pair.laptop.settings.changes()
        for number in 0..<50 {
            try pair.desk.set("n\(number % 3)", "\(number)")
            try await pair.settle()
        }
        #expect(
            await told(changes, 2) == [
                SyncedSettingsChange(names: [], reason: .firstSync),
                SyncedSettingsChange(names: ["n0", "n1", "n2"], reason: .remoteChange),
            ])
    }

    /// Two programs of one application on one machine.
    @Test func anotherProgramOfThisMachineIsSeen() async throws {
        let pair = try await SyncedPair()
        let other = pair.desk.restarted()
        try other.set("dark", for: SettingKey("theme", default: ""))
        try await other.synchronize()
        try await pair.desk.settings.synchronize()
        #expect(try pair.desk.get("theme") == "dark")
        try pair.desk.set("size", "14")
        try await pair.desk.settings.synchronize()
        try await other.synchronize()
        #expect(try other.value(for: SettingKey("size", default: "")) == "14")
        #expect(try other.value(for: SettingKey("theme", default: "")) == "dark")
    }

    @Test func theEndOfAnAccountEndsThemEverywhere() async throws {
        let pair = try await SyncedPair()
        try pair.desk.set("theme", "dark")
        try await pair.settle()
        try await pair.laptop.settings.deleteEverything(of: "app")
        try await pair.settle()
        #expect(try pair.desk.get("theme") == "none" || pair.desk.settings.sharedNames.isEmpty)
        #expect(pair.desk.settings.sharedNames == [])
        #expect(try await pair.desk.keychain.list().isEmpty)
    }
}
