import Testing

@testable import Coffer
@testable import CofferSettings

/// An application goes on changing settings while nothing can be written.
@Suite struct PendingLimitTests {
    private func key(_ number: Int) -> SettingKey<Int> { SettingKey("\(number)", default: 0) }

    /// What waits has a bound, and none of it is lost.
    @Test func changesThatWaitHaveABound() async throws {
        let backend = InMemorySettings()
        let settings = Settings(backend: backend, batch: .seconds(3600))
        // Each is removed again, so that the suite is never full.
        for number in 0..<SettingsLimits.pending {
            try settings.set(1, for: key(number))
            try settings.remove(key(number))
        }
        #expect(code { try settings.set(1, for: key(-1)) } == .limitExceeded)
        #expect(code { try settings.remove(key(-1)) } == .limitExceeded)
        #expect(try !settings.contains(key(-1)))
        // What waits already may change again.
        try settings.set(2, for: key(7))
        try await settings.flush()
        #expect(try backend.read().values == ["7": 2])
        try settings.set(1, for: key(-1))
        #expect(try settings.value(for: key(-1)) == 1)
    }
}
