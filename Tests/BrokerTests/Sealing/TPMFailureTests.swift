import BrokerProtocol
import Foundation
import Platform
import TPM
import TestSupport
import Testing
import Vault

/// Every way in which a TPM fails. The broker survives it, names it, goes on with everything that needs no TPM, and
/// recovers if it can.
@Suite(.timeLimit(.minutes(30)))
struct TPMFailureTests {
    private let gated = Keychain.Get(service: "s", account: "gated")
    private let plain = Keychain.Get(service: "s", account: "plain")

    private func broker(_ tpm: SWTPM, deadline: Duration? = nil) async throws -> ThrowAwayBroker {
        let broker = try await ThrowAwayBroker(configure: {
            $0.sealer = .tpm
            $0.tcti = "\(tpm.configuration)"
        }) { _ in TPMSealer(TPMAccess.patient(tpm.configuration, deadline: deadline)) }
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "plain", value: someValue))
        _ = try await client.call(Keychain.Set(service: "s", account: "gated", value: someValue, access: .presence))
        return broker
    }

    /// The answer to a gated read is this kind of error. Everything that needs no TPM works.
    private func expectFailure(
        _ broker: ThrowAwayBroker, kind: String, words: String, advice: String = "",
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let client = try broker.client()
        let id = try await challenge { try await client.call(gated) }
        let fault = try await fault {
            try await broker.authenticator.grant(id)
            return true
        }
        #expect(fault.name == .brokerTPM && fault.details.kind == kind, "\(fault)", sourceLocation: location)
        #expect(fault.details.message?.contains(words) == true, "\(fault)", sourceLocation: location)
        #expect(fault.details.message?.contains("; ") == false, "\(fault)", sourceLocation: location)
        if !advice.isEmpty {
            #expect(fault.details.advice?.contains(advice) == true, "\(fault)", sourceLocation: location)
        }
        #expect(try await client.call(plain).value == someValue, sourceLocation: location)
        _ = try await client.call(Keychain.Set(service: "s", account: "new", value: someValue))
        #expect(try await client.call(Keychain.List()).items.count == 3, sourceLocation: location)
        #expect(try await client.call(Keychain.Status()).vault.state == .unlocked, sourceLocation: location)
        // The doctor reports it, too.
        let findings = try await client.call(Keychain.Diagnose()).findings.filter { $0.verdict == .problem }
        #expect(findings.contains { $0.check.hasPrefix("tpm") || $0.check == "storage-key" }, sourceLocation: location)
    }

    /// The same broker reads again, and leaves nothing in the TPM.
    private func expectRecovery(
        _ broker: ThrowAwayBroker, _ tpm: SWTPM, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let client = try broker.client()
        let value = try await broker.call(client, gated) {
            Keychain.Get(service: "s", account: "gated", challenge: $0)
        }.value
        #expect(value == someValue, sourceLocation: location)
        #expect(try tpm.leftovers() == [], sourceLocation: location)
        await broker.stop()
    }

    @Test("killed: unavailable; started again, it goes on")
    func killed() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        try tpm.stop()
        try await expectFailure(broker, kind: "unavailable", words: "TPM")
        try tpm.restart()
        try await expectRecovery(broker, tpm)
    }

    @Test("failed: unavailable; restarted, it goes on")
    func failed() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        try tpm.fail()
        try await expectFailure(broker, kind: "unavailable", words: "not ready", advice: "restart")
        try tpm.restart()
        try await expectRecovery(broker, tpm)
    }

    @Test("hung: deadline; answering again, it goes on, and what was left in it is flushed")
    func hung() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm, deadline: .seconds(20))
        tpm.hang()
        try await expectFailure(broker, kind: "deadline", words: "answer")
        tpm.resume()
        try await expectRecovery(broker, tpm)
    }

    @Test("cleared: replaced, and never anything else; with the old state back it goes on")
    func cleared() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        try tpm.stop()
        let state = try tpm.saveState()
        try tpm.restart()
        try tpm.clear()
        try await expectFailure(
            broker, kind: "replaced", words: "cleared or replaced", advice: "coffer recovery restore")
        try tpm.stop()
        try tpm.restore(state)
        try tpm.restart()
        try await expectRecovery(broker, tpm)
    }

    @Test(
        "restored from a copy that is older than the vault: the storage key is made again from the same seed, the counter is missed, the keys stay closed"
    )
    func restored() async throws {
        let tpm = try SWTPM()
        try tpm.stop()
        let old = try tpm.saveState()
        try tpm.restart()
        let broker = try await broker(tpm)
        let handles = try tpm.persistentHandles()
        try tpm.stop()
        try tpm.restore(old)
        try tpm.restart()
        #expect(try tpm.persistentHandles() == [])
        let client = try broker.client()
        let found = try await client.call(Keychain.Diagnose()).findings.filter { $0.verdict == .problem }
        #expect(found.contains { $0.check == "storage-key" && $0.message.contains("gone") }, "\(found)")
        #expect(try await client.call(plain).value == someValue)
        // The storage key comes back from its seed. The index that the keys depend on was lost with the state.
        let gone = try await fault {
            try await broker.call(client, gated) { Keychain.Get(service: "s", account: "gated", challenge: $0) }
        }
        #expect(gone.name == .brokerTPM && gone.details.kind == "renewed", "\(gone)")
        #expect(try tpm.persistentHandles() == handles)
        await broker.stop()
        // The counter was lost with the state. At the next opening the TPM is not trusted until root and the owner
        // accept the file.
        let later = try await ThrowAwayBroker(
            folder: broker.folder, authenticator: broker.authenticator, configure: { $0.sealer = .tpm }
        ) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
        let other = try later.client()
        let refusal = try await fault { try await other.call(plain) }
        #expect(refusal.name == .damaged && refusal.details.kind == Keychain.rollback, "\(refusal)")
        _ = try await later.call(other, Keychain.AcceptVault()) { Keychain.AcceptVault(challenge: $0) }
        let closed = try await fault {
            try await later.call(other, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        }
        #expect(closed.name == .brokerTPM && closed.details.kind == "renewed", "\(closed)")
        await later.stop()
    }

    @Test(
        "full of another program's objects or sessions: exhausted; when they are gone, it goes on",
        arguments: [true, false])
    func full(ofObjects: Bool) async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        for number in 0..<70 {
            let file = "\(tpm.folder.path)/\(number)"
            let outcome =
                ofObjects
                ? try Tool.run("tpm2_createprimary", ["-T", tpm.tools, "-Q", "-c", file])
                : try Tool.run("tpm2_startauthsession", ["-T", tpm.tools, "-S", file])
            if outcome.status != 0 { break }
        }
        try #require(try tpm.leftovers().count >= 3)
        try await expectFailure(broker, kind: "exhausted", words: "no room left", advice: "end other programs")
        try Tool.output("tpm2_flushcontext", ["-T", tpm.tools, ofObjects ? "-t" : "-s"])
        if !ofObjects { try Tool.output("tpm2_flushcontext", ["-T", tpm.tools, "-l"]) }
        try await expectRecovery(broker, tpm)
    }

    @Test("in lockout: nothing of Coffer's is touched, and the doctor says how long it lasts")
    func lockout() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        try tpm.lockOut(seconds: 900)
        let client = try broker.client()
        let found = try await client.call(Keychain.Diagnose()).findings
        let lockout = try #require(found.first { $0.check == "tpm-lockout" })
        #expect(lockout.verdict == .problem && lockout.message.contains("900 s"), "\(lockout)")
        // Opening and making keys too: everything but objects that others have protected.
        _ = try await client.call(Keychain.Lock())
        _ = try await broker.call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        try await expectRecovery(broker, tpm)
    }
}
