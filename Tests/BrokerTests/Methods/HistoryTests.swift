import BrokerProtocol
import Foundation
import Item
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// `History`, `Get` of a version and `Restore`, for the owner and for attackers 3, 4 and 9.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct HistoryTests {
    private static let first = Data("first".utf8).base64EncodedString()
    private static let second = Data("second".utf8).base64EncodedString()
    private static let password = Data("open".utf8).base64EncodedString()

    private func get(_ version: Int64? = nil, challenge: String? = nil) -> Keychain.Get {
        Keychain.Get(service: "s", account: "a", version: version, challenge: challenge)
    }

    private func restore(_ version: Int64? = nil, challenge: String? = nil) -> Keychain.Restore {
        Keychain.Restore(service: "s", account: "a", version: version, challenge: challenge)
    }

    private func set(
        _ value: String, _ access: AccessControl? = nil, password: String? = nil
    ) -> Keychain.Set {
        Keychain.Set(
            service: "s", account: "a", value: value, access: access.map(Keychain.AccessChange.init(whole:)),
            applicationPassword: password)
    }

    /// A vault with an item s/a that has a former value.
    private func prepared(
        _ access: AccessControl? = nil
    ) async throws -> (ThrowAwayBroker, WireClient) {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(set(Self.first, access))
        let reply = try await client.call(set(Self.second))
        #expect(reply.former == 1)
        return (broker, client)
    }

    private func versions(_ client: WireClient) async throws -> [Int64] {
        try await client.call(Keychain.History(service: "s", account: "a")).versions.map(\.version)
    }

    @Test func aWrongSetLosesNothing() async throws {
        let (broker, client) = try await prepared()
        let reply = try await client.call(Keychain.History(service: "s"))
        #expect(reply.item.version == 2 && reply.versions.map(\.version) == [1])
        #expect(reply.versions[0].until > reply.versions[0].set)
        let got = try await client.call(get(1))
        #expect(got.value == Self.first && got.item.version == 1)
        #expect(try await client.call(get(2)).value == Self.second)
        for wrong in [3, Int64.max] {
            #expect(try await fault { try await client.call(get(wrong)) }.name == .notFound)
        }
        for wrong in [0, -1] as [Int64] {
            #expect(try await fault { try await client.call(get(wrong)) }.name == .invalidArgument)
        }
        #expect(try await fault { try await client.call(restore(2)) }.name == .invalidArgument)
        #expect(try await client.call(restore()).item.version == 3)
        #expect(try await client.call(get()).value == Self.first)
        #expect(try await versions(client) == [2])
        let log = try await client.call(Keychain.Log()).records
        #expect(log.contains { $0.event == "read" && $0.detail == "version 1" })
        #expect(log.contains { $0.event == "set" && $0.detail == "version 1 restored" })
        await broker.stop()
    }

    @Test func aGatedFormerValueAsksAsTheItemDid() async throws {
        let (broker, client) = try await prepared(.presence)
        let asked = try await fault { try await client.call(get(1)) }
        #expect(asked.details.purposes == ["read"])
        let id = try #require(asked.details.challenge)
        // Nobody has answered it.
        #expect(try await fault { try await client.call(get(1, challenge: id)) }.name == .challengeRefused)
        let again = try await challenge { try await client.call(get(1)) }
        try await broker.authenticator.grant(again)
        #expect(try await client.call(get(1, challenge: again)).value == Self.first)
        #expect(try await fault { try await client.call(get(1, challenge: again)) }.name == .challengeRefused)
        // Restoring asks as well, and what is restored still asks.
        let item = try await broker.call(client, restore(1)) { restore(1, challenge: $0) }.item
        #expect(item.version == 3 && item.access == .presence)
        _ = try await challenge { try await client.call(get()) }
        await broker.stop()
    }

    @Test func aChallengeIsForOneVersion() async throws {
        let (broker, client) = try await prepared(.presence)
        for (asked, used) in [(2, 1), (1, 2), (1, nil), (nil, 1)] as [(Int64?, Int64?)] {
            let id = try await challenge { try await client.call(get(asked)) }
            try await broker.authenticator.grant(id)
            #expect(try await fault { try await client.call(get(used, challenge: id)) }.name == .challengeRefused)
        }
        let id = try await challenge { try await client.call(get(2)) }
        try await broker.authenticator.grant(id)
        #expect(try await fault { try await client.call(restore(1, challenge: id)) }.name == .challengeRefused)
        #expect(try await versions(client) == [1])
        await broker.stop()
    }

    /// The person is told that it is a former value, in a prompt of its own.
    @Test func theAuthenticatorIsToldTheVersion() async throws {
        let (broker, client) = try await prepared(.presence)
        let id = try await challenge { try await client.call(get(1)) }
        let present = try await challenge { try await client.call(get()) }
        let line = try broker.authenticator.connect()
        let facts = try await line.call(
            TestAuthenticator.describe(
                id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        #expect(facts.version == 1 && facts.service == "s" && facts.purposes == [.read])
        #expect(try await line.call(BrokerInterface.Companions(challenge: id)).companions.isEmpty)
        let other = try broker.authenticator.connect()
        let others = try await other.call(
            TestAuthenticator.describe(
                present, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        #expect(others.version == nil)
        #expect(try await other.call(BrokerInterface.Companions(challenge: present)).companions.isEmpty)
        await broker.stop()
    }

    /// Attacker 4: a program replaces the secret by one that requires nothing, and renames that. Nobody is asked.
    @Test(arguments: [false, true])
    func aFormerValueIsAskedForByTheNameOfItsTime(isReplacedAgain: Bool) async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(
            Keychain.Set(service: "bank", account: "me", value: Self.first, access: .init(.presence)))
        _ = try await client.call(
            Keychain.Set(service: "bank", account: "me", value: Self.second, access: .init(require: [], any: false)))
        _ = try await client.call(
            Keychain.Rename(service: "bank", account: "me", newService: "wifi", newAccount: "you"))
        if isReplacedAgain {
            _ = try await client.call(Keychain.Set(service: "wifi", account: "you", value: Self.second))
        }
        var get = Keychain.Get(service: "wifi", account: "you", version: 1)
        var restore = Keychain.Restore(service: "wifi", account: "you", version: 1)
        let toRead = try await challenge { try await client.call(get) }
        let toRestore = try await challenge { try await client.call(restore) }
        for id in [toRead, toRestore] {
            let line = try broker.authenticator.connect()
            let facts = try await line.call(
                TestAuthenticator.describe(
                    id, uid: OwnProcess.effectiveUser, try TestAuthenticator.thisProcess()))
            #expect(facts.service == "bank" && facts.account == "me" && facts.version == 1)
            #expect(facts.newService == "wifi" && facts.newAccount == "you")
        }
        get.challenge = try await challenge { try await client.call(get) }
        try await broker.authenticator.grant(try #require(get.challenge))
        let got = try await client.call(get)
        #expect(got.value == Self.first && got.item.service == "wifi")
        restore.challenge = try await challenge { try await client.call(restore) }
        try await broker.authenticator.grant(try #require(restore.challenge))
        _ = try await client.call(restore)
        let details = try await client.call(Keychain.Log()).records.compactMap(\.detail)
        #expect(details.contains("version 1, then bank me"), "\(details)")
        #expect(details.contains("version 1 restored, then bank me"), "\(details)")
        await broker.stop()
    }

    /// A challenge that was granted before opens nothing that is gone since.
    @Test func goneWithTheItemAndWithATighterAccess() async throws {
        let (broker, client) = try await prepared(.presence)
        var id = try await challenge { try await client.call(get(1)) }
        try await broker.authenticator.grant(id)
        let tighter = AccessControl.whenUnlocked.requiring(.userPresence, .devicePasscode)
        #expect(try await client.call(set(Self.second, tighter)).former == nil)
        #expect(try await fault { try await client.call(get(1, challenge: id)) }.name == .notFound)
        #expect(try await versions(client) == [])

        _ = try await client.call(set(Self.first))
        #expect(try await versions(client) == [3])
        id = try await challenge { try await client.call(get(3)) }
        try await broker.authenticator.grant(id)
        _ = try await client.call(Keychain.Delete(service: "s", account: "a"))
        #expect(try await fault { try await client.call(get(3)) }.name == .notFound)
        for _ in 0..<4 { _ = try await client.call(set(Self.second)) }
        // Another item with these versions has other values.
        #expect(try await fault { try await client.call(get(3, challenge: id)) }.name == .challengeRefused)
        #expect(try await client.call(get(3)).value == Self.second)
        await broker.stop()
    }

    @Test func aLockedVaultListsThemAndGivesNone() async throws {
        let (broker, client) = try await prepared()
        _ = try await client.call(Keychain.Lock())
        #expect(try await versions(client) == [1])
        #expect(try await fault { try await client.call(get(1)) }.name == .locked)
        #expect(try await fault { try await client.call(restore()) }.name == .locked)
        await broker.stop()
    }

    @Test func anApplicationPasswordStaysThatOfItsTime() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let access = AccessControl.whenUnlocked.requiring(.applicationPassword)
        let other = Data("other".utf8).base64EncodedString()
        _ = try await client.call(set(Self.first, access, password: Self.password))
        _ = try await client.call(set(Self.second, password: other))
        func read(_ version: Int64, _ password: String?) -> Keychain.Get {
            Keychain.Get(service: "s", account: "a", version: version, applicationPassword: password)
        }
        #expect(
            try await fault { try await client.call(read(1, other)) }.name == .applicationPasswordRefused)
        #expect(
            try await fault { try await client.call(read(1, nil)) }.name == .applicationPasswordRequired)
        #expect(try await client.call(read(1, Self.password)).value == Self.first)
        #expect(
            try await fault { try await client.call(restore(1)) }.name == .applicationPasswordRequired)
        _ = try await client.call(
            Keychain.Restore(service: "s", account: "a", version: 1, applicationPassword: Self.password))
        #expect(try await client.call(read(3, Self.password)).value == Self.first)
        await broker.stop()
    }

    @Test func theOwnerChoosesHowMany() async throws {
        let (broker, client) = try await prepared()
        #expect(try await client.call(Keychain.Status()).history == .init(values: 3, days: 30, bin: 30))
        for (values, days) in [(-1, 1), (11, 1), (1, 367), (1, .max)] as [(Int64, Int64)] {
            let refusal = try await fault { try await client.call(Keychain.SetHistory(values: values, days: days)) }
            #expect(refusal.name == .invalidArgument)
        }
        #expect(try await versions(client) == [1])
        let none = try await client.call(Keychain.SetHistory(values: 0)).history
        #expect(none == .init(values: 0, days: 30, bin: 30))
        #expect(try await versions(client) == [])
        #expect(try await client.call(set(Self.first)).former == nil)
        #expect(try await fault { try await client.call(restore()) }.name == .notFound)
        #expect(try await client.call(Keychain.SetHistory()).history == none)
        await broker.stop()
    }

    @Test(.enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
    func anotherUserGetsNothing() async throws {
        let (broker, client) = try await prepared()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: broker.folder.path)
        let other = try await OtherProcess(socket: broker.configuration.socket, uid: 1)
        for (method, more) in [
            ("Get", #","version":1"#), ("History", ""), ("Restore", #","version":1"#), ("SetHistory", ""),
        ] {
            let call =
                #"{"method":"org.coffer.Keychain.\#(method)","parameters":{"service":"s","account":"a"\#(more)}}"#
            let answer = try await other.say(call)
            #expect(answer.contains("NotFound") && !answer.contains(Self.first), "\(answer)")
        }
        #expect(try await versions(client) == [1])
        await broker.stop()
    }
}
