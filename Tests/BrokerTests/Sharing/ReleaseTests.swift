import Broker
import BrokerProtocol
import Item
import Platform
import TestSupport
import Testing
import Varlink

/// Guarded items on several machines: what is set is for all of them, and what was there before is released by a person.
@Suite(.timeLimit(.minutes(30)))
struct ReleaseTests {
    private let value = "Z3VhcmRlZA=="

    private func pair() async throws -> (desk: CirclePeer, laptop: CirclePeer, folder: SharedFolder) {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await set("old", on: desk)
        try await set("older", on: desk)
        try await desk.found()
        try await desk.add(laptop)
        var folder = SharedFolder()
        for peer in [desk, laptop, desk] { try await peer.sync(&folder) }
        return (desk, laptop, folder)
    }

    private func set(_ account: String, _ access: AccessControl = .presence, on peer: CirclePeer) async throws {
        _ = try await peer.client.call(
            Keychain.Set(
                service: "s", account: account, value: value, access: Keychain.AccessChange(whole: access)))
    }

    /// The item's value, once its person has agreed.
    private func guarded(_ account: String, of peer: CirclePeer) async throws -> String {
        let id = try await challenge {
            try await peer.client.call(Keychain.Get(service: "s", account: account))
        }
        try await peer.broker.authenticator.grant(id)
        return try await peer.client.call(Keychain.Get(service: "s", account: account, challenge: id)).value
    }

    private func device(_ name: String, of peer: CirclePeer) async throws -> String {
        try #require(try await peer.state().machines.first { $0.name == name }).device
    }

    private func release(_ accounts: [String], _ devices: [String], _ challenge: String? = nil) -> Sync.Release {
        Sync.Release(
            items: accounts.map { .init(service: "s", account: $0) }, devices: devices, challenge: challenge)
    }

    private func agreed(_ peer: CirclePeer, _ accounts: [String], _ devices: [String]) async throws -> String {
        let id = try await challenge { try await peer.client.call(release(accounts, devices)) }
        try await peer.broker.authenticator.grant(id)
        return id
    }

    @Test func whatIsSetAsksOnEachMachine() async throws {
        var (desk, laptop, folder) = try await pair()
        try await set("new", on: desk)
        for peer in [desk, laptop] { try await peer.sync(&folder) }
        #expect(try await guarded("new", of: laptop) == value)
        #expect(try await guarded("new", of: desk) == value)
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test func aPersonReleasesWhatWasThereBefore() async throws {
        var (desk, laptop, folder) = try await pair()
        let there = try await device("laptop", of: desk)
        let items = try await desk.client.call(Sync.Releasables()).items
        #expect(items.map(\.account) == ["old", "older"] && items.allSatisfy { $0.machines == [there] })
        #expect(items.map(\.signatures) == [1, 1])
        let id = try await challenge { try await desk.client.call(release(["old"], [there])) }
        let line = try desk.broker.authenticator.connect()
        let facts = try await line.call(
            TestAuthenticator.describe(id, uid: OwnProcess.effectiveUser, TestAuthenticator.thisProcess()))
        #expect(facts.purposes == [.releaseToCircle] && facts.items?.map(\.account) == ["old"])
        #expect(facts.machines == ["laptop"] && facts.statement == nil)
        #expect(facts.authorizations.map(\.kind) == ["presence"])
        try await desk.broker.authenticator.sign(
            id, 0, facts.authorizations[0], owner: .user(OwnProcess.effectiveUser), line)
        await line.close()
        _ = try await desk.client.call(release(["old"], [there], id))
        #expect(try await desk.client.call(Sync.Releasables()).items.map(\.account) == ["older"])
        let logged = try #require(try await desk.shares().last)
        #expect(logged.detail == "released to laptop" && logged.account == "old")
        for peer in [desk, laptop] { try await peer.sync(&folder) }
        #expect(try await guarded("old", of: laptop) == value)
        let exists = try await laptop.client.call(Keychain.Exists(service: "s", account: "older")).exists
        #expect(!exists)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// Consent is to these items and these machines, and to nothing else.
    @Test func aChallengeIsOfTheseItemsAndMachines() async throws {
        var (desk, laptop, folder) = try await pair()
        let phone = try await CirclePeer("phone")
        try await desk.add(phone)
        for peer in [phone, desk] { try await peer.sync(&folder) }
        let (there, other) = (try await device("laptop", of: desk), try await device("phone", of: desk))
        for call in [
            release(["older"], [there], try await agreed(desk, ["old"], [there])),
            release(["old", "older"], [there], try await agreed(desk, ["old"], [there])),
            release(["old"], [there], try await agreed(desk, ["old", "older"], [there])),
            release(["old"], [other], try await agreed(desk, ["old"], [there])),
            release(["old"], [there, other], try await agreed(desk, ["old"], [there])),
        ] { #expect(try await fault { try await desk.client.call(call) }.name == .challengeRefused) }
        // A release gives out no secret, and no read is a release.
        let id = try await agreed(desk, ["old"], [there])
        let read = Keychain.GetAll(items: [.init(service: "s", account: "old")], challenge: id)
        #expect(try await fault { try await desk.client.call(read) }.name == .challengeRefused)
        let one = Keychain.Get(service: "s", account: "old", challenge: try await agreed(desk, ["old"], [there]))
        #expect(try await fault { try await desk.client.call(one) }.name == .challengeRefused)
        let asked = try await challenge {
            try await desk.client.call(Keychain.GetAll(items: [.init(service: "s", account: "old")]))
        }
        try await desk.broker.authenticator.grant(asked)
        let released = release(["old"], [there], asked)
        #expect(try await fault { try await desk.client.call(released) }.name == .challengeRefused)
        let unasked = try await challenge { try await desk.client.call(release(["old"], [there])) }
        let early = release(["old"], [there], unasked)
        #expect(try await fault { try await desk.client.call(early) }.name == .challengeRefused)
        #expect(try await desk.client.call(Sync.Releasables()).items.count == 2)
        for peer in [desk, laptop, phone] { await peer.stop() }
    }

    /// The item was changed between consent and release: the person has seen another one.
    @Test func aChallengeIsOfTheItemAsItWas() async throws {
        let (desk, laptop, _) = try await pair()
        let there = try await device("laptop", of: desk)
        let id = try await agreed(desk, ["old"], [there])
        _ = try await desk.client.call(
            Keychain.Set(service: "s", account: "old", value: "b3RoZXI="))
        let late = release(["old"], [there], id)
        #expect(try await fault { try await desk.client.call(late) }.name == .challengeRefused)
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test func nobodyIsAskedInVain() async throws {
        let (desk, laptop, _) = try await pair()
        let (there, own) = (try await device("laptop", of: desk), try await device("desk", of: desk))
        _ = try await desk.client.call(Keychain.Set(service: "s", account: "open", value: value))
        for call in [
            release([], [there]), release(["open"], [there]), release(["old", "old"], [there]), release(["old"], []),
            release((0...32).map { "\($0)" }, [there]),
        ] { #expect(try await fault { try await desk.client.call(call) }.name == .invalidArgument) }
        for devices in [[own], [String(repeating: "0", count: 32)], [there, own]] {
            let call = release(["old"], devices)
            #expect(try await fault { try await desk.client.call(call) }.name == .notFound)
        }
        #expect(try await fault { try await desk.client.call(release(["none"], [there])) }.name == .notFound)
        _ = try await desk.client.call(Keychain.Lock())
        #expect(try await fault { try await desk.client.call(release(["old"], [there])) }.name == .locked)
        #expect(try await fault { try await desk.client.call(Sync.Releasables()) }.name == .locked)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// A machine that was removed gets nothing, although its person has just been promised it.
    @Test func aRemovedMachineGetsNothing() async throws {
        let (desk, laptop, _) = try await pair()
        let there = try await device("laptop", of: desk)
        let id = try await agreed(desk, ["old"], [there])
        try await desk.remove([there])
        let late = release(["old"], [there], id)
        #expect(try await fault { try await desk.client.call(late) }.name == .notFound)
        for peer in [desk, laptop] { await peer.stop() }
    }
}
