import Coffer
import CofferSettings
import CofferTestKit
import Testing

@testable import CofferSync

/// How much one call to the vault makes or reads.
struct ExchangeBatchTests {
    private let backend = InterruptedKeychain()
    private let circle = InMemoryCircle()
    private let settings: SyncedSettings

    init() { settings = backend.settings(in: circle) }

    /// Sets these texts, and exchanges them. The broker goes away before the second call.
    /// - Returns: how many the vault has then, and why the exchange has ended.
    private func given(_ texts: [String]) async throws -> (count: Int, code: KeychainError.Code?) {
        for (number, text) in texts.enumerated() {
            try settings.set(text, for: SettingKey("name-\(number)", default: ""))
        }
        backend.interrupt { [backend] in
            backend.interrupt { throw KeychainError(.brokerUnreachable, "gone") }
        }
        let code = await keychainCode { try await settings.synchronize() }
        let stored = Keychain(service: "app", itemClass: .setting, backend: backend)
        return (try await stored.accounts().count, code)
    }

    @Test func oneCallMakes64Changes() async throws {
        let (count, code) = try await given(Array(repeating: "v", count: 64))
        #expect(count == 64 && code == nil)
    }

    @Test func the65thChangeIsInTheNextCall() async throws {
        let (count, code) = try await given(Array(repeating: "v", count: 65))
        #expect(count == 64 && code == .brokerUnreachable)
    }

    /// 64 KiB as JSON, with its two quotes.
    private static let long = String(repeating: "x", count: (64 << 10) - 2)

    @Test func oneCallHas256KiBOfValues() async throws {
        let (count, code) = try await given(Array(repeating: Self.long, count: 4))
        #expect(count == 4 && code == nil)
    }

    @Test func whatIsBeyond256KiBIsInTheNextCall() async throws {
        let (count, code) = try await given(Array(repeating: Self.long, count: 4) + ["v"])
        #expect(count == 4 && code == .brokerUnreachable)
    }

    /// They change on purpose only, and then here, too.
    @Test func theOtherLimitsAreAsTheyWereChosen() {
        #expect([SyncLimits.changes, SyncLimits.reads, SyncLimits.unwritten] == [64, 32, 4096])
        #expect(SyncLimits.batch == .seconds(1))
        #expect(SyncLimits.pause.first == .seconds(1) && SyncLimits.pause.most == .seconds(60))
    }
}
