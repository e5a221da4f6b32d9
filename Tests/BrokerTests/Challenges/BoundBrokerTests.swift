import Authorization
import Broker
import BrokerProtocol
import Cryptography
import Item
import Platform
import RootConfiguration
import TPM
import TestSupport
import Testing
import Varlink
import Vault

/// A bound vault in the broker: what each proof opens, and what a stop between two steps leaves.
@Suite(.timeLimit(.minutes(30)))
struct BoundBrokerTests {
    private static let pin = [UInt8](repeating: 5, count: 32)
    private static let other = [UInt8](repeating: 6, count: 32)

    private func broker(_ tpm: SWTPM, after earlier: ThrowAwayBroker? = nil) async throws -> ThrowAwayBroker {
        try await ThrowAwayBroker(
            folder: earlier?.folder, authenticator: earlier?.authenticator, configure: { $0.sealer = .tpm }
        ) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
    }

    private func set(_ client: WireClient, _ account: String, _ accessibility: AccessControl.Accessibility) async throws
    {
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: account, value: someValue,
                access: AccessControl(accessibility)))
    }

    private func read(_ client: WireClient, _ account: String) async throws -> String {
        try await client.call(Keychain.Get(service: "s", account: account)).value
    }

    /// A whole conversation that binds the vault, binds it to another password, or unbinds it.
    private func change(
        _ broker: ThrowAwayBroker, _ client: WireClient, from pin: [UInt8]?, to next: [UInt8]?,
        stop: TestAuthenticator.Stop? = nil
    ) async throws {
        let id = try await challenge {
            try await client.call(Keychain.Unlock(bind: pin == nil ? true : next == nil ? false : nil))
        }
        let line = try await broker.authenticator.described(id)
        try await broker.authenticator.release(id, pin: pin, reseals: true, over: line)
        try await broker.authenticator.reseal(id, to: next, stop: stop, over: line)
        if stop == nil {
            let vault = try await client.call(
                Keychain.Unlock(challenge: id, bind: pin == nil ? true : next == nil ? false : nil)
            ).vault
            #expect(vault.state == .unlocked)
            #expect(vault.bound == (next == nil ? nil : true))
        }
        await line.close()
    }

    private func unlock(_ broker: ThrowAwayBroker, _ client: WireClient, with pin: [UInt8]?) async throws {
        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        let line = try await broker.authenticator.described(id)
        try await broker.authenticator.release(id, pin: pin, reseals: false, over: line)
        #expect(try await client.call(Keychain.Unlock(challenge: id)).vault.state == .unlocked)
        await line.close()
    }

    /// What the description of a new challenge has.
    private func passwordKey(_ broker: ThrowAwayBroker) async throws -> String? {
        let client = try broker.client()
        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        let line = try broker.authenticator.connect()
        let facts = try await line.call(
            TestAuthenticator.describe(
                id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        await line.close()
        return facts.passwordKey
    }

    /// Nothing else has opened the vault by then.
    @Test func theFirstConversationOfARunHasTheKeyForOutdatedPasswords() async throws {
        let tpm = try SWTPM()
        let first = try await broker(tpm)
        let client = try first.client()
        try await first.makeVault(client)
        try await change(first, client, from: nil, to: Self.pin)
        _ = try await client.call(Keychain.Lock())
        let key = try await passwordKey(first)
        #expect(key?.count == 44)
        await first.stop()
        let second = try await broker(tpm, after: first)
        #expect(try await passwordKey(second) == key)
        await second.stop()
    }

    @Test func onlyABoundVaultHasAKeyForOutdatedPasswords() async throws {
        func key(_ broker: ThrowAwayBroker) async throws -> String? {
            _ = try await broker.client().call(Keychain.Lock())
            return try await passwordKey(broker)
        }
        var keys: [String?] = []
        for _ in 0..<2 {
            let tpm = try SWTPM()
            defer { withExtendedLifetime(tpm) {} }
            let broker = try await broker(tpm)
            let client = try broker.client()
            try await broker.makeVault(client)
            #expect(try await key(broker) == nil)
            try await change(broker, client, from: nil, to: Self.pin)
            let bound = try await key(broker)
            #expect(bound?.count == 44)
            #expect(try await key(broker) == bound)
            let record = try #require(
                try broker.authenticator.registry.record(for: .user(OwnProcess.effectiveUser)))
            let guess = try HKDF.derive(
                SecretBytes(copying: record.vault.bytes), salt: record.vault.bytes,
                info: Array("org.coffer.key.password".utf8), count: 32)
            #expect(bound != guess.base64Encoded())
            keys.append(bound)
            await broker.stop()
        }
        #expect(keys[0] != keys[1])
    }

    /// The end of a binding waits for what is damaged. Who binds the vault anew is told of that, and not to try again.
    @Test func whatKeepsABindingFromEndingIsNamed() async throws {
        let tpm = try SWTPM()
        let first = try await broker(tpm)
        let client = try first.client()
        try await first.makeVault(client)
        try await set(client, "plain", .whenUnlocked)
        let again = Keychain.Set(service: "s", account: "plain", value: "Ym9i")
        _ = try await client.call(again)
        try await change(first, client, from: nil, to: Self.pin)
        await first.stop()
        let script =
            "import sqlite3,sys; f = sqlite3.connect(sys.argv[1]); f.execute(\"UPDATE former SET records = x'01'\"); f.commit()"
        let file = "\(first.configuration.vaultDirectory)/user-\(OwnProcess.effectiveUser).vault"
        _ = try Tool.output("python3", ["-c", script, file])

        let second = try await broker(tpm, after: first)
        let late = try second.client()
        try await unlock(second, late, with: Self.pin)
        try await change(second, late, from: Self.pin, to: nil)
        let refused = try await fault { try await change(second, late, from: nil, to: Self.other) }
        #expect(
            refused.details.kind == Keychain.damagedItem && refused.details.message?.hasSuffix("s/plain") == true,
            "\(refused)")
        await second.stop()
    }

    @Test func aVaultIsBoundRebooundAndUnbound() async throws {
        let tpm = try SWTPM()
        let first = try await broker(tpm)
        let client = try first.client()
        try await first.makeVault(client)
        try await set(client, "plain", .whenUnlocked)
        let early = try await fault { try await set(client, "bound", .passcodeSet) }
        #expect(early.name == .invalidArgument && early.details.advice?.contains("--bind") == true)
        try await change(first, client, from: nil, to: Self.pin)
        try await set(client, "bound", .passcodeSet)
        #expect(try await read(client, "bound") == someValue)
        #expect(try await client.call(Keychain.Status()).vault.bound == true)
        _ = try await client.call(Keychain.Lock())
        #expect(try await fault { try await read(client, "bound") }.name == .locked)
        await first.stop()

        let second = try await broker(tpm, after: first)
        let later = try second.client()
        #expect(try await later.call(Keychain.Status()).vault.bound == true)
        #expect(try await fault { try await read(later, "bound") }.name == .locked)
        try await unlock(second, later, with: Self.pin)
        #expect(try await read(later, "bound") == someValue)
        // The password was changed. The former one opens the vault, which is then bound to the new one.
        _ = try await later.call(Keychain.Lock())
        try await change(second, later, from: Self.pin, to: Self.other)
        #expect(try await read(later, "bound") == someValue)
        _ = try await later.call(Keychain.Lock())
        try await unlock(second, later, with: Self.other)
        try await change(second, later, from: Self.other, to: nil)
        #expect(try await read(later, "plain") == someValue)
        #expect(try await fault { try await read(later, "bound") }.name == .notFound)
        let log = try await later.call(Keychain.Log()).records.map { "\($0.event) \($0.detail ?? "")" }
        #expect(log.contains("bind ") && log.contains("bind to the changed password"))
        #expect(log.contains("unbind 1 of class passcode-set destroyed"))
        #expect(try tpm.leftovers() == [])
        await second.stop()
    }

    @Test func withoutThePasswordNothingOpensAndAWrongOneIsTriedTwiceAtMost() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        try await change(broker, client, from: nil, to: Self.pin)
        _ = try await client.call(Keychain.Lock())
        // Only an authenticator's signature, as after a reported login.
        let bare = try await fault { try await unlock(broker, client, with: nil) }
        #expect(bare.name == .brokerChallengeRefused)

        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        let line = try await broker.authenticator.described(id)
        for left in [TPMSealer.tries - 1, TPMSealer.tries - 2] {
            let wrong = try await fault {
                try await broker.authenticator.release(id, pin: Self.other, reseals: false, over: line)
                return true
            }
            #expect(wrong.name == .brokerTPM && wrong.details.kind == "wrong-password")
            #expect(wrong.details.triesLeft == Int64(left))
        }
        let third = try await fault {
            try await broker.authenticator.release(id, pin: Self.pin, reseals: false, over: line)
            return true
        }
        #expect(third.name == .brokerChallengeRefused)
        #expect(try await client.call(Keychain.Status()).vault.state == .locked)
        await line.close()
        // The right password gives all tries back.
        try await unlock(broker, client, with: Self.pin)
        await broker.stop()
    }

    @Test func usedUpIsSaidAndLeavesNoWayButTheRecoveryCode() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        try await set(client, "always", .always)
        try await change(broker, client, from: nil, to: Self.pin)
        _ = try await client.call(Keychain.Lock())
        for _ in 0..<TPMSealer.tries { _ = try await fault { try await unlock(broker, client, with: Self.other) } }
        let used = try await fault { try await unlock(broker, client, with: Self.pin) }
        #expect(used.name == .brokerTPM && used.details.kind == "tries-used-up")
        #expect(used.details.advice?.contains("coffer recovery restore") == true)
        #expect(try await read(client, "always") == someValue)
        await broker.stop()
    }

    @Test(arguments: [TestAuthenticator.Stop.afterReseal, .afterRegistry], [true, false])
    func aStopInBetweenLeavesAVaultThatOpens(stop: TestAuthenticator.Stop, restarts: Bool) async throws {
        let tpm = try SWTPM()
        var broker = try await broker(tpm)
        var client = try broker.client()
        try await broker.makeVault(client)
        try await set(client, "plain", .whenUnlocked)
        try await change(broker, client, from: nil, to: Self.pin, stop: stop)
        if restarts {
            await broker.stop()
            broker = try await self.broker(tpm, after: broker)
            client = try broker.client()
        } else {
            _ = try await client.call(Keychain.Lock())
        }
        let isBound = stop == .afterRegistry
        #expect(try await client.call(Keychain.Status()).vault.bound == (isBound && restarts ? true : nil))
        do { try await unlock(broker, client, with: isBound ? Self.pin : nil) } catch let fault as Fault {
            Issue.record("\(fault)")
        }
        #expect(try await read(client, "plain") == someValue)
        // The same again succeeds.
        if !isBound { try await change(broker, client, from: nil, to: Self.pin) }
        try await set(client, "bound", .passcodeSet)
        try await change(broker, client, from: Self.pin, to: nil)
        #expect(try await read(client, "plain") == someValue)
        #expect(try await fault { try await read(client, "bound") }.name == .notFound)
        // The epoch's counter and the generation, and no index of a password.
        let indexes = try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"])
        #expect(indexes.split(separator: "\n").count == 2, "\(indexes)")
        await broker.stop()
    }

    @Test func aLockWhileItIsBoundTakesTheRootAway() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        let id = try await challenge { try await client.call(Keychain.Unlock(bind: true)) }
        let line = try await broker.authenticator.described(id)
        try await broker.authenticator.release(id, pin: nil, reseals: true, over: line)
        _ = try await client.call(Keychain.Lock())
        let late = try await fault {
            try await broker.authenticator.reseal(id, to: Self.pin, over: line)
            return true
        }
        #expect(late.name == .brokerChallengeRefused)
        await line.close()
        await broker.stop()
    }

    @Test func onlyWhatWasAskedForIsResealed() async throws {
        let tpm = try SWTPM()
        let broker = try await broker(tpm)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Lock())
        // A signature for opening does not bind or unbind.
        let id = try await challenge { try await client.call(Keychain.Unlock()) }
        let line = try await broker.authenticator.described(id)
        let early = try await fault { try await line.call(BrokerInterface.Reseal(challenge: id, pin: nil)) }
        #expect(early.name == .brokerNotPermitted)
        let other = try await challenge { try await client.call(Keychain.Unlock()) }
        let second = try await broker.authenticator.described(other)
        try await broker.authenticator.release(other, pin: nil, reseals: true, over: second)
        let refused = try await fault {
            try await broker.authenticator.reseal(other, to: Self.pin, over: second)
            return true
        }
        #expect(refused.name == .brokerChallengeRefused)
        // A signature for binding does not open.
        let third = try await challenge { try await client.call(Keychain.Unlock(bind: true)) }
        let line3 = try await broker.authenticator.described(third)
        let opening = try await fault {
            try await broker.authenticator.release(third, pin: nil, reseals: false, over: line3)
            return true
        }
        #expect(opening.name == .brokerChallengeRefused)
        #expect(try await client.call(Keychain.Status()).vault.state == .locked)
        for line in [line, second, line3] { await line.close() }
        await broker.stop()
    }

    @Test func softwareIsRefusedInWords() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let refused = try await fault { try await client.call(Keychain.Unlock(bind: true)) }
        #expect(refused.name == .invalidArgument)
        #expect(refused.details.message?.contains("only a TPM counts") == true)
        #expect(try await client.call(Keychain.Unlock(bind: false)).vault.state == .unlocked)
        await broker.stop()
    }
}
