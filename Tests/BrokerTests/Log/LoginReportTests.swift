import Authorization
import Broker
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing

/// A login that the authenticator reports. It gets its own challenge, for opening and for nothing else (attackers 3, 4
/// and 9).
@Suite(.timeLimit(.minutes(30)))
struct LoginReportTests {
    private let uid = OwnProcess.effectiveUser

    private func locked() async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker(options: Broker.Options.patient)
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Lock())
        return (broker, client)
    }

    private func state(_ client: WireClient) async throws -> Keychain.VaultState.State {
        try await client.call(Keychain.Status()).vault.state
    }

    @Test("the signature opens the vault, and nothing is left to take")
    func opens() async throws {
        let (broker, client) = try await locked()
        let line = try broker.authenticator.connect()
        let reply = try await line.call(BrokerInterface.Report(uid: Int64(uid)))
        #expect(reply.authorizations == [BrokerInterface.Authorization(kind: "unlock")])
        let id = try #require(reply.challenge)
        #expect(try await state(client) == .locked)
        try await broker.authenticator.sign(id, 0, reply.authorizations[0], owner: .user(uid), line)
        #expect(try await state(client) == .unlocked)
        let refusal = try await fault { try await client.call(Keychain.Unlock(challenge: id)) }
        #expect(refusal.name == .challengeRefused)
        let again = try await line.call(BrokerInterface.Report(uid: Int64(uid)))
        #expect(again.challenge == nil && again.vault == reply.vault && again.authorizations.isEmpty)
        await broker.stop()
    }

    @Test("a report alone opens nothing, and ends with its connection")
    func alone() async throws {
        let (broker, client) = try await locked()
        let line = try broker.authenticator.connect()
        let id = try #require(try await line.call(BrokerInterface.Report(uid: Int64(uid))).challenge)
        let other = try broker.authenticator.connect()
        let refusal = try await fault {
            try await other.call(BrokerInterface.Prepare(challenge: id, authorization: 0))
        }
        #expect(refusal.name == .brokerChallengeRefused)
        #expect(try await state(client) == .locked)
        await broker.stop()
    }

    @Test("a user's open challenges do not keep a login from opening the vault")
    func busy() async throws {
        let (broker, client) = try await locked()
        for number in 0...32 {
            _ = try await client.call(
                Keychain.Set(service: "s\(number)", account: "a", value: someValue, access: .presence))
        }
        for number in 0..<32 {
            _ = try await challenge {
                try await client.call(Keychain.Get(service: "s\(number)", account: "a", unlock: true))
            }
        }
        let next = try await fault { try await client.call(Keychain.Get(service: "s32", account: "a", unlock: true)) }
        #expect(next.name == .limitExceeded)
        let line = try broker.authenticator.connect()
        let reply = try await line.call(BrokerInterface.Report(uid: Int64(uid)))
        try await broker.authenticator.sign(
            try #require(reply.challenge), 0, reply.authorizations[0], owner: .user(uid), line)
        #expect(try await state(client) == .unlocked)
        await broker.stop()
    }

    @Test("where there is no vault there is nothing to open")
    func bare() async throws {
        let broker = try await throwAwayBroker(options: Broker.Options.patient)
        let line = try broker.authenticator.connect()
        let reply = try await line.call(BrokerInterface.Report(uid: Int64(uid)))
        #expect(reply.challenge == nil && reply.vault == nil && reply.authorizations.isEmpty)
        for uid in [-1, 65_534, 1 << 32] as [Int64] {
            let refusal = try await fault { try await line.call(BrokerInterface.Report(uid: uid)) }
            #expect(refusal.name == .brokerInvalidArgument)
        }
        await broker.stop()
    }
}
