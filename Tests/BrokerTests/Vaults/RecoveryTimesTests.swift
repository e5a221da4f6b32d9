import Authorization
import BrokerProtocol
import Platform
import Recovery
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// How long a new recovery code waits, and what ends that.
@Suite(.timeLimit(.minutes(30)))
struct RecoveryTimesTests {
    private let clock = TestClock()

    private func prepared() async throws -> (broker: ThrowAwayBroker, client: WireClient) {
        var options = Broker.Options.patient
        options.clock = clock.clock
        let broker = try await throwAwayBroker(options: options) { $0.idleLock = 0 }
        let client = try broker.client()
        try await broker.makeVault(client)
        return (broker, client)
    }

    /// The right group of a new code.
    private func newPart(_ broker: ThrowAwayBroker, _ client: WireClient) async throws -> String {
        let new = try await broker.call(client, Keychain.NewRecoveryCode()) { Keychain.NewRecoveryCode(challenge: $0) }
        let groups = new.code.split(separator: "-").map(String.init)
        try #require((1...Int64(groups.count)).contains(new.part))
        return groups[Int(new.part) - 1]
    }

    private func confirm(_ client: WireClient, _ characters: String) async throws {
        _ = try await client.call(Keychain.ConfirmRecoveryCode(characters: characters))
    }

    private func refusal(_ client: WireClient, _ characters: String) async throws -> Fault {
        try await fault { try await client.call(Keychain.ConfirmRecoveryCode(characters: characters)) }
    }

    @Test("a code can be confirmed until ten minutes are over, and no longer")
    func time() async throws {
        let (broker, client) = try await prepared()
        let part = try await newPart(broker, client)
        clock.advance(by: RecoveryLimits.life - .seconds(1))
        try await confirm(client, part)
        let late = try await newPart(broker, client)
        clock.advance(by: RecoveryLimits.life)
        #expect(try await refusal(client, late).name == .challengeRefused)
        await broker.stop()
    }

    @Test("a code that nobody confirms is gone from memory when its time is, without a call")
    func forgotten() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let (vault, key) = (try await vaultActor.vaultID(), try await fixture.root(.recovery, of: vaultActor))
        let made = try await vaultActor.recovery.make(
            in: vaultActor, for: key, of: vault, to: fixture.caller(1),
            ifNoLockSince: vaultActor.held.lockCount)
        #expect((0..<RecoveryCode.groupCount).contains(made.part) && made.process == fixture.caller(1).process)
        fixture.time.advance(by: RecoveryLimits.life - .milliseconds(1))
        #expect(vaultActor.held.code != nil)
        fixture.time.advance(by: .milliseconds(1))
        try await until("it is gone") { vaultActor.held.code == nil }
        await vaultActor.close()
    }

    @Test("a lock that comes while a code is made leaves none, in memory or for the caller")
    func lockedMeanwhile() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let (vault, key) = (try await vaultActor.vaultID(), try await fixture.root(.recovery, of: vaultActor))
        let before = vaultActor.held.lockCount
        vaultActor.lock()
        let refused = try await fault {
            try await vaultActor.recovery.make(
                in: vaultActor, for: key, of: vault, to: fixture.caller(1), ifNoLockSince: before)
        }
        #expect(refused == Faults.challengeRefused)
        #expect(vaultActor.held.code == nil)
        await vaultActor.close()
    }

    @Test("a code is confirmed once")
    func once() async throws {
        let (broker, client) = try await prepared()
        let part = try await newPart(broker, client)
        try await confirm(client, part)
        #expect(try await refusal(client, part).name == .challengeRefused)
        await broker.stop()
    }

    @Test("a lock ends a code also where the vault was locked when it was given out")
    func locked() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Lock())
        let part = try await newPart(broker, client)
        _ = try await client.call(Keychain.Lock())
        #expect(try await refusal(client, part).name == .challengeRefused)
        // Without a lock in between it is valid.
        try await confirm(client, newPart(broker, client))
        await broker.stop()
    }

    @Test("what is longer than any group of a code is no try, and what is not is one")
    func length() async throws {
        let (broker, client) = try await prepared()
        let part = try await newPart(broker, client)
        for _ in 0...RecoveryLimits.tries {
            let refused = try await refusal(
                client, String(repeating: "A", count: VaultLimits.recoveryCodePart + 1))
            #expect(refused.details.message?.hasPrefix("a group of a code has") == true)
        }
        for _ in 1..<RecoveryLimits.tries {
            let refused = try await refusal(client, String(repeating: "A", count: VaultLimits.recoveryCodePart))
            #expect(refused.details.message?.hasPrefix("that is not group") == true)
        }
        try await confirm(client, part)
        await broker.stop()
    }
}
