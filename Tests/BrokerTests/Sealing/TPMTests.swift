import Authorization
import BrokerProtocol
import Foundation
import Platform
import RootConfiguration
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// The broker on a TPM: what each call costs, what is left behind, and what still works when the TPM hangs.
@Suite(.timeLimit(.minutes(30)))
struct TPMTests {
    private func broker(
        _ tpm: SWTPM, _ recorder: CommandRecorder, deadline: Duration? = nil, options: Broker.Options = .patient,
        via configuration: TCTIConfiguration? = nil, folder: TemporaryFolder? = nil,
        authenticator: TestAuthenticator? = nil
    ) async throws -> ThrowAwayBroker {
        let broker = try await ThrowAwayBroker(
            folder: folder, authenticator: authenticator, options: options, configure: { $0.sealer = .tpm }
        ) { _ in
            TPMSealer(TPMAccess.patient(configuration ?? tpm.configuration, deadline: deadline, observer: recorder))
        }
        // The question for the maker is asked in the background. It must not count for a call.
        let client = try broker.client()
        let limit = ContinuousClock.now + patience
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
        let uid = OwnProcess.effectiveUser
        let id = try await challenge { try await client.call(get) }
        let line = try broker.authenticator.connect()
        _ = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
        _ = try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
        await line.close()
        // The next conversation waits for the TPM and finds it free.
        let value = try await broker.call(client, get) { Keychain.Get(service: "s", account: "a", challenge: $0) }.value
        #expect(value == someValue)
        #expect(try tpm.leftovers() == [])
        await broker.stop()
    }

    @Test("a lock while the TPM begins ends the request: others find the TPM free")
    func lockedAtTheBeginning() async throws {
        let (tpm, recorder, held) = (try SWTPM(), CommandRecorder(), Held())
        let tap = try WireTap(tpm, command: { _, _ in held.pass() })
        // Nobody waits until the time for a signature is over.
        var options = Broker.Options.patient
        options.sealerTimeLimit = .seconds(60)
        options.signatureTimeLimit = .seconds(3600)
        let broker = try await broker(tpm, recorder, options: options, via: tap.configuration)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        let id = try await challenge { try await client.call(Keychain.Get(service: "s", account: "a")) }
        let line = try broker.authenticator.connect()
        let uid = OwnProcess.effectiveUser
        _ = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
        held.hold()
        try await line.send(Varlink.encode(VarlinkCall(BrokerInterface.Prepare(challenge: id, authorization: 0))))
        try await until("the TPM is asked") { held.isReached }
        _ = try await client.call(Keychain.Lock())
        held.letGo()
        #expect(
            try await fault { try await line.reply(BrokerInterface.Prepare.Reply.self) }.name == .brokerChallengeRefused
        )
        let unlocked = try await broker.call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        #expect(unlocked.vault.state == .unlocked)
        await line.close()
        #expect(try tpm.leftovers() == [])
        await broker.stop()
    }

    @Test("a signature that comes too late: refused, the session is gone, others go on")
    func late() async throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let first = try await broker(tpm, recorder)
        try await first.makeVault(first.client())
        await first.stop()
        var options = Broker.Options.patient
        options.signatureTimeLimit = .seconds(1)
        let hasty = try await broker(
            tpm, recorder, options: options, folder: first.folder, authenticator: first.authenticator)
        let client = try hasty.client()
        let uid = OwnProcess.effectiveUser
        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        let line = try hasty.authenticator.connect()
        _ = try await line.call(TestAuthenticator.describe(id, uid: uid, TestAuthenticator.thisProcess()))
        let question = try await line.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
        // Another program gets its answer when the broker has left the TPM.
        #expect(try tpm.leftovers() == [])
        let signature = try hasty.authenticator.signature(for: question, kind: "unlock", owner: .user(uid))
        let late = BrokerInterface.Complete(challenge: id, authorization: 0, signature: signature)
        #expect(try await fault { try await line.call(late) }.name == .brokerChallengeRefused)
        #expect(try await client.call(Keychain.Status()).vault.state != .unlocked)
        await hasty.stop()
        let third = try await broker(tpm, recorder, folder: first.folder, authenticator: first.authenticator)
        _ = try await third.call(try third.client(), Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        #expect(try tpm.leftovers() == [])
        await third.stop()
    }

    @Test(
        "a TPM that hangs stops neither warm reads nor status; what needs it fails at the deadline, and works again later"
    )
    func hanging() async throws {
        let (tpm, recorder) = (try SWTPM(), CommandRecorder())
        let held = Held()
        let tap = try WireTap(tpm, command: { _, _ in held.pass() })
        let broker = try await broker(tpm, recorder, via: tap.configuration)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "plain", value: someValue))
        _ = try await client.call(Keychain.Set(service: "s", account: "gated", value: someValue, access: .presence))
        let gated = Keychain.Get(service: "s", account: "gated")
        let id = try await challenge { try await client.call(gated) }
        held.hold()
        let authenticator = broker.authenticator
        let isOver = ConnectionFlag()
        async let granted: Void = {
            defer { isOver.set(true) }
            try await authenticator.grant(id)
        }()
        try await until("the TPM is asked") { held.isReached }
        for _ in 0..<4 {
            #expect(try await client.call(Keychain.Get(service: "s", account: "plain")).value == someValue)
            #expect(try await client.call(Keychain.Status()).vault.state == .unlocked)
        }
        #expect(!isOver.isUp, "reads waited for the TPM")
        held.letGo()
        try await granted
        await broker.stop()

        let hasty = try await self.broker(
            tpm, recorder, deadline: .seconds(20), folder: broker.folder, authenticator: broker.authenticator)
        let later = try hasty.client()
        _ = try await hasty.call(later, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        let late = try await challenge { try await later.call(gated) }
        tpm.hang()
        let fault = try await fault {
            try await authenticator.grant(late)
            return true
        }
        #expect(fault.name == .brokerTPM && fault.details.kind == "deadline")
        tpm.resume()
        #expect(
            try await hasty.call(later, gated) { Keychain.Get(service: "s", account: "gated", challenge: $0) }.value
                == someValue)
        #expect(try tpm.leftovers() == [])
        await hasty.stop()
    }

    /// Holds what would pass until it is released.
    private final class Held: Sendable {
        private let isHeld = ConnectionFlag()
        private let reached = ConnectionFlag()

        var isReached: Bool { reached.isUp }

        func hold() { isHeld.set(true) }

        func letGo() { isHeld.set(false) }

        func pass() {
            guard isHeld.isUp else { return }
            reached.set(true)
            while isHeld.isUp { usleep(1000) }
        }
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
        ) { _ in TPMSealer(TPMAccess.patient(tpm.configuration, observer: recorder)) }
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
