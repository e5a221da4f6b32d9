import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import TestSupport
import Testing
import Varlink

/// A code on paper, as a client makes one with a broker that does not learn it (attackers 11 and 13).
@Suite(.timeLimit(.minutes(30)))
struct PaperTests {
    private func keys(_ peer: CirclePeer, _ code: PaperCode? = nil) async throws -> String {
        let name = Hex.decode(try #require(try await peer.state().circle)) ?? []
        let circle = try #require(StatementName(bytes: name))
        return Base64.encode(try PaperKeys(code ?? .random(), in: circle).member.bytes)
    }

    private func add(_ peer: CirclePeer, _ keys: String) async throws {
        _ = try await peer.call(Sync.AddPaper(keys: keys)) { Sync.AddPaper(keys: keys, challenge: $0) }
    }

    @Test func aPaperIsMadeNamedAndRemoved() async throws {
        let desk = try await CirclePeer("desk")
        try await desk.found()
        #expect(try await desk.state().paper == nil)
        let own = try await keys(desk)
        try await add(desk, own)
        let state = try await desk.state()
        let paper = try #require(state.paper)
        #expect(state.machines.map(\.name) == ["desk"] && paper.made != nil)
        #expect(try await desk.shares().last?.detail == "a code on paper was added")
        // There is one at a time.
        let other = Sync.AddPaper(keys: try await keys(desk))
        #expect(try await fault { try await desk.client.call(other) }.name == .alreadyExists)
        _ = try await desk.client.call(
            Keychain.Set(
                service: "s", account: "guarded", value: someValue,
                access: .init(accessibility: .whenUnlocked, require: [.userPresence])))
        #expect(try await desk.client.call(Sync.Releasables()).items.isEmpty)
        try await desk.remove([paper.device])
        #expect(try await desk.shares().last?.detail == "removed: paper")
        let after = try await desk.state()
        #expect(after.paper == nil)
        #expect(after.former.map { [$0.device, $0.name, $0.protection] } == [[paper.device, "paper", "paper"]])
        // What was a paper once is none again.
        #expect(try await fault { try await desk.client.call(Sync.AddPaper(keys: own)) }.name == .invalidArgument)
        try await add(desk, keys(desk))
        await desk.stop()
    }

    @Test func whatAreNoKeysAreRefused() async throws {
        let desk = try await CirclePeer("desk")
        let circle = try #require(StatementName(bytes: [UInt8](repeating: 1, count: 32)))
        let good = try PaperKeys(.random(), in: circle).member.bytes
        func refusal(_ keys: String) async throws -> Fault.Name {
            try await fault { try await desk.client.call(Sync.AddPaper(keys: keys)) }.name
        }
        #expect(try await refusal(Base64.encode(good)) == .notFound)
        try await desk.found()
        // No base64, too short, too long, and each point off the curve or missing.
        for wrong in ["", "x", Base64.encode(good.dropLast()), Base64.encode(good + [0])] {
            #expect(try await refusal(wrong) == .invalidArgument)
        }
        for place in [0, 65, 226, 291, 356] {
            var bytes = good
            bytes[place + 5] ^= 1
            #expect(try await refusal(Base64.encode(bytes)) == .invalidArgument)
            bytes.replaceSubrange(place..<place + 65, with: [UInt8](repeating: 0, count: 65))
            #expect(try await refusal(Base64.encode(bytes)) == .invalidArgument)
        }
        await desk.stop()
    }

    /// A challenge that a person has answered for one code adds no other one.
    @Test func theAnswerCountsForTheseKeys() async throws {
        let desk = try await CirclePeer("desk")
        try await desk.found()
        let (own, other) = (try await keys(desk), try await keys(desk))
        let id = try await challenge { try await desk.client.call(Sync.AddPaper(keys: own)) }
        try await desk.agree(id)
        let lying = Sync.AddPaper(keys: other, challenge: id)
        #expect(try await fault { try await desk.client.call(lying) }.name == .challengeRefused)
        #expect(try await desk.state().paper == nil)
        await desk.stop()
    }

    /// The others see it, release to it, and enter without taking it for a machine.
    @Test func theOthersKnowOfIt() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.found()
        try await add(desk, keys(desk))
        let added = try await desk.add(laptop.request())
        let entered = try await laptop.enter(try #require(added.answer).content)
        #expect(entered.machines.map(\.role).sorted() == ["admin", "writer"])
        var folder = SharedFolder()
        for peer in [desk, laptop, desk] { try await peer.sync(&folder) }
        #expect(try await laptop.state().paper == desk.state().paper)
        #expect(try await laptop.state().machines.count == 2)
        for peer in [desk, laptop] { await peer.stop() }
    }
}
