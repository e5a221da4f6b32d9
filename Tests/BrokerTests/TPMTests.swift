import Authorization
import Broker
import BrokerProtocol
import CofferTestKit
import Configuration
import Platform
import Synchronization
import TPM
import Testing
import Vault

/// The broker on a TPM: how much of it each call costs, what is left behind, and what goes on when it hangs.
@Suite(.timeLimit(.minutes(3)))
struct TPMTests {
    private func broker(
        _ tpm: SWTPM, _ recorder: CommandRecorder, deadline: Duration = .seconds(8), folder: TemporaryFolder? = nil,
        authenticator: TestAuthenticator? = nil
    ) async throws -> ThrowAwayBroker {
        let broker = try await ThrowAwayBroker(
            folder: folder, authenticator: authenticator, configure: { $0.sealer = .tpm }
        ) { _ in
            TPMSealer(TPMAccess(tpm.configuration, deadline: deadline, observer: recorder))
        }
        // The question for the maker is asked in the background; it must not be counted as somebody's.
        let client = try broker.client()
        let limit = ContinuousClock.now + .seconds(20)
        while try await client.call(Keychain.Status()).sealer.manufacturer == nil {
            try #require(ContinuousClock.now < limit)
        }
        return broker
    }

    @Test("a warm ungated read costs no TPM command, a gated one at most 8, a cold unlock of two objects at most 12")
    func costs() async throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let first = try await broker(tpm, recorder)
        let client = try first.client()
        try await first.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "plain", value: someValue))
        _ = try await client.call(Keychain.Set(service: "s", account: "gated", value: someValue, access: .presence))
        recorder.reset()
        #expect(try await client.call(Keychain.Get(service: "s", account: "plain")).value == someValue)
        _ = try await client.call(Keychain.Set(service: "s", account: "other", value: someValue))
        #expect(recorder.names == [])
        let gated = Keychain.Get(service: "s", account: "gated")
        #expect(
            try await first.call(client, gated) { Keychain.Get(service: "s", account: "gated", challenge: $0) }.value
                == someValue)
        #expect(recorder.count <= 8 && recorder.count > 0, "\(recorder.names)")
        #expect(try tpm.leftovers() == [])
        await first.stop()
        let second = try await broker(tpm, recorder, folder: first.folder, authenticator: first.authenticator)
        let later = try second.client()
        recorder.reset()
        _ = try await second.call(later, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        #expect(recorder.count <= 12 && recorder.count > 0, "\(recorder.names)")
        #expect(try await later.call(Keychain.Get(service: "s", account: "plain")).value == someValue)
        #expect(try tpm.leftovers() == [])
        await second.stop()
    }

    @Test("a signature that does not come: the session is gone, the challenge spent, others go on")
    func abandoned() async throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let broker = try await broker(tpm, recorder)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        let get = Keychain.Get(service: "s", account: "a")
        let uid = ProcessSurroundings.effectiveUser
        for isClosed in [true, false] {
            let id = try await challenge { try await client.call(get) }
            let line = try broker.authenticator.connect()
            _ = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
            let question = try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
            if isClosed {
                await line.close()
            } else {
                // Longer than the TPM is kept waiting.
                try await Task.sleep(for: .milliseconds(5300))
                let signature = try broker.authenticator.signature(for: question, kind: "presence", owner: .user(uid))
                let late = BrokerInterface.Complete(challenge: id, authorization: 0, signature: signature)
                #expect(try await fault { try await line.call(late) }.name == .brokerChallengeRefused)
            }
            // The next conversation waits for the TPM and finds it free.
            let value = try await broker.call(client, get) { Keychain.Get(service: "s", account: "a", challenge: $0) }
                .value
            #expect(value == someValue)
            #expect(try tpm.leftovers() == [])
        }
        await broker.stop()
    }

    @Test(
        "a TPM that hangs stops neither warm reads nor status; what needs it fails within 10 seconds, and works again later"
    )
    func hanging() async throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let broker = try await broker(tpm, recorder, deadline: .seconds(5))
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "plain", value: someValue))
        _ = try await client.call(Keychain.Set(service: "s", account: "gated", value: someValue, access: .presence))
        let gated = Keychain.Get(service: "s", account: "gated")
        let id = try await challenge { try await client.call(gated) }
        tpm.hang()
        let authenticator = broker.authenticator
        let start = ContinuousClock.now
        let isGivenUp = Mutex(false)
        async let failure = fault {
            defer { isGivenUp.withLock { $0 = true } }
            try await authenticator.grant(id)
            return true
        }
        for _ in 0..<4 {
            #expect(try await client.call(Keychain.Get(service: "s", account: "plain")).value == someValue)
            #expect(try await client.call(Keychain.Status()).vault.state == .unlocked)
        }
        #expect(!isGivenUp.withLock { $0 }, "reads waited for the TPM")
        let fault = try await failure
        #expect(fault.name == .brokerTPM && fault.details.kind == "deadline")
        #expect(ContinuousClock.now - start < .seconds(10))
        tpm.resume()
        #expect(
            try await broker.call(client, gated) { Keychain.Get(service: "s", account: "gated", challenge: $0) }.value
                == someValue)
        #expect(try tpm.leftovers() == [])
        await broker.stop()
    }

    @Test("a TPM that is gone is said to be gone, and names are not guessed")
    func gone() async throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let first = try await broker(tpm, recorder)
        let client = try first.client()
        try await first.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        await first.stop()
        try tpm.stop()
        let second = try await ThrowAwayBroker(
            folder: first.folder, authenticator: first.authenticator, configure: { $0.sealer = .tpm }
        ) { _ in TPMSealer(TPMAccess(tpm.configuration, observer: recorder)) }
        let later = try second.client()
        #expect(try await later.call(Keychain.Status()).vault.state == .sealed)
        let fault = try await fault { try await later.call(Keychain.Exists(service: "s", account: "a")) }
        #expect(fault.name == .tpm && fault.details.kind == "unavailable")
        await second.stop()
    }

    @Test("a vault under another TPM is refused, saying so")
    func anotherTPM() async throws {
        let (tpm, other, recorder) = (try SWTPM(), try SWTPM(), CommandRecorder())
        let first = try await broker(tpm, recorder)
        try await first.makeVault(first.client())
        await first.stop()
        let second = try await broker(other, recorder, folder: first.folder, authenticator: first.authenticator)
        let fault = try await fault { try await second.client().call(Keychain.List()) }
        #expect(fault.name == .tpm && fault.details.kind == "replaced")
        await second.stop()
    }
}
