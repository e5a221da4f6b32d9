import BrokerProtocol
import Circle
import Platform
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// Machines that share their items, each with a broker of its own, and a folder between them.
@Suite(.timeLimit(.minutes(30)))
struct SharingTests {
    private func whatIsSetHereIsReadThere(_ desk: CirclePeer, _ laptop: CirclePeer, _ protection: String) async throws {
        var folder = SharedFolder()
        try await desk.set("early", "ZWFybHk=")
        let circle = try await desk.found()
        let asked = try await laptop.request()
        #expect(try await desk.client.call(Sync.Add(code: asked.code)).path == asked.request.path)
        let added = try await desk.add(asked)
        let answer = try #require(added.answer)
        #expect(answer.path == asked.answer && added.name == "laptop")
        let entered = try await laptop.enter(answer.content)
        #expect(entered.circle == circle && entered.words == added.words && entered.words.count == CheckWords.count)
        #expect(entered.machines.count == 2 && entered.machines.filter(\.own).count == 1)
        try await desk.sync(&folder)
        #expect(try await laptop.sync(&folder).added == 1)
        #expect(try await laptop.get("early") == "ZWFybHk=")
        try await laptop.set("late", "bGF0ZQ==")
        try await laptop.sync(&folder)
        #expect(try await desk.sync(&folder).added == 1)
        #expect(try await desk.get("late") == "bGF0ZQ==")
        try await laptop.sync(&folder)
        let (here, there) = (try await desk.state(), try await laptop.state())
        #expect(here.circle == circle && there.circle == circle && here.digest == there.digest)
        #expect(here.pending == 0 && here.waiting == 0 && !here.requested && !there.requested)
        for state in [here, there] {
            #expect(Set(state.machines.compactMap(\.name)) == ["desk", "laptop"])
            #expect(state.machines.allSatisfy { $0.protection == protection && !$0.forked })
        }
        // What software keeps can be copied, so it brings nobody in.
        #expect(
            here.machines.first { !$0.own }?.role == (protection == "tpm" ? "admin" : "writer"), "\(here.machines)")
        #expect(try await desk.shares().compactMap(\.detail).prefix(2) == ["a circle was begun", "laptop was added"])
        #expect(try await laptop.shares().first?.detail == "a circle was entered")
        #expect(try await desk.shares().last?.detail == "1 new, 0 changed, 0 deleted by other machines")
        for peer in [desk, laptop] { #expect(try await peer.shares().allSatisfy { $0.outcome == "done" }) }
    }

    @Test func softwareSealers() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await whatIsSetHereIsReadThere(desk, laptop, "software")
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test func tpms() async throws {
        let (first, second) = (try SWTPM(), try SWTPM())
        func peer(_ name: String, _ tpm: SWTPM) async throws -> CirclePeer {
            let broker = try await ThrowAwayBroker(configure: { $0.sealer = .tpm }) { _ in
                TPMSealer(TPMAccess.patient(tpm.configuration, observer: CommandRecorder()))
            }
            return try await CirclePeer(name, on: broker)
        }
        let (desk, laptop) = (try await peer("desk", first), try await peer("laptop", second))
        try await whatIsSetHereIsReadThere(desk, laptop, "tpm")
        for peer in [desk, laptop] { await peer.stop() }
        #expect(try first.leftovers() == [] && second.leftovers() == [])
    }

    /// The same call again gets the same answer, and nobody is asked twice.
    @Test func aRepeatedCallIsAnsweredAgain() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.found()
        let asked = try await laptop.request()
        #expect(try await laptop.request().code == asked.code)
        #expect(try await laptop.state().requested)
        let added = try await desk.add(asked)
        let again = try await desk.client.call(Sync.Add(code: asked.code, request: asked.request.content))
        #expect(again.words == added.words && again.name == "laptop")
        try await laptop.enter(try #require(again.answer).content)
        #expect(try await desk.state().machines.count == 2)
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test func anotherRequestForgetsTheFirst() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.found()
        let first = try await laptop.request()
        let second = try await laptop.request(renewing: true)
        #expect(first.code != second.code && first.request.path != second.request.path)
        let answer = try #require(try await desk.add(first).answer)
        let refusal = try await fault { try await laptop.client.call(Sync.Enter(answer: answer.content)) }
        #expect(refusal.name == .invalidArgument)
        #expect(try await laptop.state().circle == nil)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// A vault that is not there yet is made first, with a prompt of its own.
    @Test func aCircleBeginsWithoutAVault() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        // Nobody is asked for what would be in vain.
        #expect(try await fault { try await client.call(Sync.Found(name: "-desk")) }.name == .invalidArgument)
        #expect(try await fault { try await client.call(Sync.Request(name: "-desk")) }.name == .invalidArgument)
        let making = try await challenge { try await client.call(Sync.Found(name: "desk")) }
        try await broker.authenticator.grant(making)
        let id = try await challenge { try await client.call(Sync.Found(name: "desk", challenge: making)) }
        #expect(id != making)
        try await broker.authenticator.grant(id)
        let circle = try await client.call(Sync.Found(name: "desk", challenge: id)).circle
        #expect(try await client.call(Sync.State()).circle == circle)
        await broker.stop()
    }

    @Test func nothingIsGivenOutBeforeThePersonAgrees() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await laptop.set("mine")
        try await desk.found()
        let answer = try #require(try await desk.add(laptop.request()).answer)
        _ = try await challenge { try await laptop.client.call(Sync.Enter(answer: answer.content)) }
        let refusal = try await fault { try await laptop.client.call(Sync.Give(heads: [], names: [])) }
        #expect(refusal.name == .notFound)
        for peer in [desk, laptop] { await peer.stop() }
    }
}
