import BrokerProtocol
import TPM
import TestSupport
import Testing
import Varlink
import Vault

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

    @Test("a TPM that had no time for a check is still the one that was checked, and another TPM is not")
    func identity() {
        let running = RunningDiagnoses()
        running.note(Endorsement.Standing.certified)
        for code in [.deadline, .busy, .exhausted, .lockout, .unavailable, .outOfMemory] as [SealerError.Code] {
            running.note(SealerError(code, "it has no time"))
            #expect(running.identity == .certified, "\(code)")
        }
        running.note(SealerError(.replaced, "it is another one"))
        #expect(running.identity == nil)
    }
}
