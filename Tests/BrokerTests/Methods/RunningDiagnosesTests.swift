import BrokerProtocol
import TestSupport
import Testing
import Varlink

@testable import Broker

/// A user has one diagnosis at a time.
@Suite(.timeLimit(.minutes(5)))
struct RunningDiagnosesTests {
    @Test("a second diagnosis of a user is refused and leaves the first alone; another user has their own")
    func onePerUser() async throws {
        let fixture = try VaultFixture()
        let request = try fixture.request(1, .none)
        let running = request.core.diagnoses
        let both = (running.begin(1), running.begin(2))
        #expect(both.0 && both.1)
        let refused = try await fault { _ = try await DiagnoseHandler.answer(Keychain.Diagnose(), request) }
        #expect(refused.name == .limitExceeded)
        let second = running.begin(1)
        #expect(!second)
        running.end(1)
        // Each gives its place back.
        for _ in 0..<2 { _ = try await DiagnoseHandler.answer(Keychain.Diagnose(), request) }
        let (own, others) = (running.begin(1), running.begin(2))
        #expect(own && !others)
    }
}
