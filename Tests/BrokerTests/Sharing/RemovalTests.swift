import BrokerProtocol
import Circle
import Platform
import TestSupport
import Testing
import Varlink

/// Machines that are removed, that leave, and that come back. What is given out later is not for them (attacker 13).
@Suite(.timeLimit(.minutes(30)))
struct RemovalTests {
    private let value = "bGF0ZXI="

    /// A machine that began a circle, and one that is in it, with a folder that both have written to.
    private func pair() async throws -> (desk: CirclePeer, laptop: CirclePeer, folder: SharedFolder) {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.set("early")
        try await desk.found()
        try await desk.add(laptop)
        var folder = SharedFolder()
        for peer in [desk, laptop, desk] { try await peer.sync(&folder) }
        return (desk, laptop, folder)
    }

    private func device(_ name: String, of peer: CirclePeer) async throws -> String {
        try #require(try await peer.state().machines.first { $0.name == name }).device
    }

    @Test func aRemovedMachineGetsNothingMore() async throws {
        var (desk, laptop, folder) = try await pair()
        try await desk.remove([device("laptop", of: desk)])
        let left = try await desk.state()
        #expect(left.machines.map(\.name) == ["desk"] && left.joined)
        #expect(try await desk.shares().last?.detail == "removed: laptop")
        try await desk.set("late", value)
        try await desk.sync(&folder)
        #expect(try await laptop.state().joined)
        let taken = try await laptop.sync(&folder)
        #expect(taken.added + taken.updated + taken.deleted == 0)
        let state = try await laptop.state()
        #expect(!state.joined && state.circle != nil && state.machines.map(\.name) == ["desk"])
        let isThere = try await laptop.client.call(Keychain.Exists(service: "s", account: "late")).exists
        #expect(!isThere)
        // It keeps what it has, and what it changes is its own from now on.
        #expect(try await laptop.get("early") == someValue)
        try await laptop.set("own")
        try await laptop.sync(&folder)
        #expect(try await desk.sync(&folder).added == 0)
        // It removes and adds nobody.
        let others = Sync.Remove(devices: [try await device("desk", of: desk)])
        #expect(try await fault { try await laptop.client.call(others) }.name == .invalidArgument)
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test func aRemovedMachineComesBackAsANewOne() async throws {
        var (desk, laptop, folder) = try await pair()
        let before = try await device("laptop", of: desk)
        try await desk.remove([before])
        try await desk.set("late", value)
        try await desk.sync(&folder)
        try await laptop.sync(&folder)
        _ = try await laptop.client.call(Sync.Forget())
        #expect(try await laptop.shares().last?.detail == "the circle was forgotten")
        let state = try await laptop.state()
        #expect(state.circle == nil && state.machines.isEmpty && !state.joined)
        try await desk.add(laptop)
        for peer in [desk, laptop, desk] { try await peer.sync(&folder) }
        #expect(try await laptop.get("late") == value)
        #expect(try await laptop.state().joined)
        #expect(try await device("laptop", of: desk) != before)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// A machine that may remove nobody else leaves. The others learn of it from the folder.
    @Test func leaving() async throws {
        var (desk, laptop, folder) = try await pair()
        let (own, other) = (try await device("laptop", of: laptop), try await device("desk", of: laptop))
        #expect(
            try await fault { try await laptop.client.call(Sync.Remove(devices: [other])) }.name == .invalidArgument)
        let both = Sync.Remove(devices: [own, other])
        #expect(try await fault { try await laptop.client.call(both) }.name == .invalidArgument)
        #expect(try await fault { try await laptop.client.call(Sync.Forget()) }.name == .invalidArgument)
        try await laptop.set("mine", value)
        try await laptop.sync(&folder)
        try await laptop.remove([own])
        let gone = try await laptop.state()
        #expect(!gone.joined && gone.circle != nil)
        try await laptop.sync(&folder)
        #expect(try await desk.sync(&folder).added == 1)
        #expect(try await desk.state().machines.map(\.name) == ["desk"])
        #expect(try await desk.get("mine") == value)
        _ = try await laptop.client.call(Sync.Forget())
        #expect(try await laptop.get("early") == someValue)
        #expect(try await laptop.state().circle == nil)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// The last one leaves, and begins anew.
    @Test func theLastOneLeaves() async throws {
        let desk = try await CirclePeer("desk")
        let first = try await desk.found()
        try await desk.remove([device("desk", of: desk)])
        _ = try await desk.client.call(Sync.Forget())
        #expect(try await desk.found() != first)
        // A request that waits is forgotten, too.
        let laptop = try await CirclePeer("laptop")
        _ = try await laptop.request()
        _ = try await laptop.client.call(Sync.Forget())
        #expect(try await !laptop.state().requested)
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test func nobodyIsAskedInVain() async throws {
        let (desk, laptop, _) = try await pair()
        let own = try await device("laptop", of: desk)
        for devices in [
            [], ["ab"], [own, "x"], [String(own.dropLast(2))],
            (0...SharingLimit.removals).map { String(repeating: "0", count: 30) + "\($0 + 10)" },
        ] {
            let refusal = try await fault { try await desk.client.call(Sync.Remove(devices: devices)) }
            #expect(refusal.name == .invalidArgument && refusal.details.challenge == nil, "\(devices.count)")
        }
        let stranger = Sync.Remove(devices: [String(repeating: "ab", count: 16)])
        #expect(try await fault { try await desk.client.call(stranger) }.name == .notFound)
        let alone = try await CirclePeer("alone")
        #expect(try await fault { try await alone.client.call(stranger) }.name == .notFound)
        for peer in [desk, laptop, alone] { await peer.stop() }
    }

    /// Consent to one removal is consent to no other one, and to nothing else.
    @Test func aChallengeIsOfTheseMachines() async throws {
        let (desk, laptop, _) = try await pair()
        let (own, other) = (try await device("desk", of: desk), try await device("laptop", of: desk))
        func agreed() async throws -> String {
            let id = try await challenge { try await desk.client.call(Sync.Remove(devices: [other])) }
            try await desk.agree(id)
            return id
        }
        for devices in [[own], [own, other]] {
            let call = Sync.Remove(devices: devices, challenge: try await agreed())
            #expect(try await fault { try await desk.client.call(call) }.name == .challengeRefused)
        }
        let asked = try await CirclePeer("third")
        let request = try await asked.request()
        let add = Sync.Add(code: request.code, request: request.request.content, challenge: try await agreed())
        #expect(try await fault { try await desk.client.call(add) }.name == .challengeRefused)
        let unasked = try await challenge { try await desk.client.call(Sync.Remove(devices: [other])) }
        let early = Sync.Remove(devices: [other], challenge: unasked)
        #expect(try await fault { try await desk.client.call(early) }.name == .challengeRefused)
        #expect(try await desk.state().machines.count == 2)
        for peer in [desk, laptop, asked] { await peer.stop() }
    }

    private enum SharingLimit { static let removals = 16 }
}
