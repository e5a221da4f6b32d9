import Broker
import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

/// Who may monitor which vault (attackers 3 and 4), with real accounts, groups and processes of this machine.
@Suite(.timeLimit(.minutes(30)), .enabled(if: OwnProcess.effectiveUser == 0, "needs root"), .serialized)
struct MonitorRightTests {
    /// A further connection of a user's process that monitors a vault.
    private struct Ear {
        let user: OtherUser
        let connection: Int

        init(_ user: OtherUser) async throws {
            self.user = user
            connection = try await user.process.connect(to: user.broker.configuration.socket)
        }

        /// The first reply.
        func begin(_ parameters: String = "") async throws -> String {
            try await user.process.say(
                #"{"method":"org.coffer.Keychain.Monitor","parameters":{\#(parameters)},"more":true}"#, on: connection)
        }

        func hear() async throws -> String { try await user.process.hear(on: connection) }
    }

    private static let subscribed = #"{"continues":true,"parameters":{"events":[]}}"#

    @Test("a user hears of their own vault only")
    func otherUser() async throws {
        let broker = try await throwAwayBroker()
        let owner = try broker.client()
        try await broker.makeVault(owner)
        let other = try await OtherUser(broker, 1)
        let ear = try await Ear(other)
        #expect(try await ear.begin() == Self.subscribed)
        _ = try await owner.call(Keychain.Set(service: "nobody-elses", account: "a", value: someValue))
        _ = try await owner.call(Keychain.Lock())
        // The first that the other user hears is their own vault's.
        #expect(try await other.pass("Unlock").contains("unlocked"))
        let heard = try await ear.hear()
        #expect(heard.contains(#""event":"unlocked""#))
        #expect(!heard.contains("nobody-elses") && !heard.contains(#""locked""#))
        let foreign = try await Ear(other)
        #expect(try await foreign.begin(#""user":"root""#).contains("NotPermitted"))
        await broker.stop()
    }

    @Test("members hear of the group's vault; who has left hears no more of it, and strangers never did")
    func group() async throws {
        let accounts = try ThrowAwayAccounts(3)
        let broker = try await throwAwayBroker()
        for index in 0..<2 { try accounts.join(index) }
        let inGroup = #""group":"\#(accounts.group)""#
        let ada = try await OtherUser(broker, accounts.uids[0])
        // The processes themselves belong to the group, and still do when the accounts no longer do.
        let bob = try await OtherUser(broker, accounts.uids[1], groups: [accounts.gid])
        let carol = try await OtherUser(broker, accounts.uids[2], groups: [accounts.gid])
        let (adas, bobs, carols) = (try await Ear(ada), try await Ear(bob), try await Ear(carol))
        // Without a vault, the group is as one that does not exist.
        let missing = try await bobs.begin(#""group":"no-such-group""#)
        #expect(missing.contains("org.coffer.Keychain.NotFound"))
        #expect(try await bobs.begin(inGroup) == missing)
        for user in [ada, bob] { #expect(try await user.pass("Unlock").contains("unlocked")) }
        #expect(try await ada.pass("Unlock", inGroup).contains("unlocked"))
        #expect(try await carols.begin(inGroup) == missing)
        for ear in [adas, bobs] { #expect(try await ear.begin(inGroup) == Self.subscribed) }
        func set(_ service: String) async throws {
            let item = #""service":"\#(service)","account":"a","value":"\#(someValue)","#
            #expect(try await ada.say("Set", item + inGroup).contains("item"))
        }
        try await set("first")
        for ear in [adas, bobs] { #expect(try await ear.hear().contains(#""service":"first""#)) }
        try accounts.leave(1)
        try await set("second")
        #expect(try await adas.hear().contains(#""service":"second""#))
        #expect(try await bobs.hear() == missing)
        #expect(try await bobs.begin(inGroup) == missing)
        // The end of the call gave its place back: the connection monitors another vault.
        #expect(try await bobs.begin() == Self.subscribed)
        await broker.stop()
    }

    @Test("root monitors a service vault, and its account does; root monitors no person's")
    func serviceVault() async throws {
        let accounts = try ThrowAwayAccounts(2)
        let service = accounts.names[0]
        let broker = try await throwAwayBroker()
        let root = try broker.client()
        let choice = Keychain.VaultChoice(user: service)
        #expect(try await fault { try await MonitorClient(root, .init(), choice) }.name == .notFound)
        let id = try await challenge { try await root.call(Keychain.CreateVault(owner: service)) }
        try await broker.authenticator.grant(id)
        _ = try await root.call(Keychain.CreateVault(owner: service, challenge: id))
        let monitor = try await MonitorClient(broker.client(), .init(), choice)
        let account = try await Ear(OtherUser(broker, accounts.uids[0]))
        #expect(try await account.begin() == Self.subscribed)
        _ = try await root.call(
            Keychain.InVault(Keychain.Set(service: "s", account: "a", value: someValue), choice))
        #expect(try await monitor.next(1)[0].event == .added)
        #expect(try await account.hear().contains("added"))
        let person = try await OtherUser(broker, accounts.uids[1])
        #expect(try await person.pass("Unlock").contains("unlocked"))
        let refused = try await fault {
            try await MonitorClient(root, .init(), .init(user: accounts.names[1]))
        }
        #expect(refused.name == .notPermitted)
        await broker.stop()
    }
}
