import Authorization
import BrokerProtocol
import Circle
import Platform
import TestSupport
import Testing
import Varlink

/// What machines tell each other that they have taken in.
@Suite(.timeLimit(.minutes(30)))
struct AcknowledgementTests {
    /// Two machines that have said all that there is to say.
    private func pair() async throws -> (desk: CirclePeer, laptop: CirclePeer, folder: SharedFolder) {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.found()
        try await desk.add(laptop)
        var folder = SharedFolder()
        for peer in [desk, laptop, desk, laptop, desk, laptop] { try await peer.sync(&folder) }
        #expect(try await seen(by: "laptop", of: desk) == true)
        return (desk, laptop, folder)
    }

    /// What a machine knows about another one.
    private func seen(by name: String, of peer: CirclePeer) async throws -> Bool? {
        let state = try await peer.state()
        #expect(state.machines.first(where: \.own)?.seen == nil)
        return try #require(state.machines.first { $0.name == name }).seen
    }

    /// Where a machine's own head says that its stream ends.
    private func end(of peer: CirclePeer, in folder: SharedFolder) async throws -> RunEnd {
        let own = try #require(try await peer.state().machines.first(where: \.own)).device
        let heads = try folder.heads.map { try SignedHead(decoding: #require(Base64.decode($0))).head }
        return try #require(heads.first { Hex.encode($0.device.bytes) == own }).end
    }

    @Test func aMachineTellsWhatItHasTakenIn() async throws {
        var (desk, laptop, folder) = try await pair()
        try await desk.set("late")
        try await desk.sync(&folder)
        #expect(try await seen(by: "laptop", of: desk) == false)
        let segments = folder.segments
        #expect(try await laptop.sync(&folder).added == 1)
        // It has changed nothing, so its head alone says it.
        #expect(folder.segments == segments)
        #expect(try await seen(by: "laptop", of: desk) == false)
        try await desk.sync(&folder)
        #expect(try await seen(by: "laptop", of: desk) == true)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// Two services that answer each other's answers would never rest.
    @Test func nobodyAnswersAnAnswer() async throws {
        var (desk, laptop, folder) = try await pair()
        try await desk.set("late")
        for peer in [desk, laptop, desk] { try await peer.sync(&folder) }
        let settled = folder.files
        for peer in [laptop, desk, laptop, desk] {
            let taken = try await peer.sync(&folder)
            #expect(folder.files == settled && taken.added + taken.updated + taken.deleted == 0)
        }
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// Attacker 10 shows that there is something new, and keeps it.
    @Test func whatHasNotComeIsNotSaidToBeThere() async throws {
        var (desk, laptop, folder) = try await pair()
        try await desk.set("late")
        let before = Set(folder.segments)
        try await desk.sync(&folder)
        var withheld = folder
        for name in folder.segments where !before.contains(name) { withheld.files[name] = nil }
        #expect(withheld.files.count < folder.files.count)
        try await laptop.sync(&withheld)
        // Something of its own makes it sign a head in any case.
        try await laptop.set("mine")
        try await laptop.sync(&withheld)
        try await desk.sync(&withheld)
        #expect(try await desk.get("mine") == someValue)
        #expect(try await seen(by: "laptop", of: desk) == false)
        for (name, content) in folder.files where withheld.files[name] == nil { withheld.files[name] = content }
        for peer in [laptop, desk] { try await peer.sync(&withheld) }
        #expect(try await seen(by: "laptop", of: desk) == true)
        for peer in [desk, laptop] { await peer.stop() }
    }

    /// A broker that was started again goes on in the run before, so that an answer is no new beginning, which would be
    /// answered, too.
    @Test func anAnswerBeginsNoRun() async throws {
        var (desk, laptop, folder) = try await pair()
        try await desk.set("late")
        try await desk.sync(&folder)
        let end = try await end(of: laptop, in: folder)
        await laptop.stop()
        let again = try await CirclePeer(
            "laptop", on: throwAwayBroker(folder: laptop.broker.folder, authenticator: laptop.broker.authenticator))
        let (segments, files) = (folder.segments, folder.files)
        #expect(try await again.sync(&folder).added == 1)
        // Another head says it, of the same end.
        #expect(folder.segments == segments && folder.files != files)
        #expect(try await self.end(of: again, in: folder) == end)
        let answered = folder.files
        try await desk.sync(&folder)
        #expect(try await seen(by: "laptop", of: desk) == true)
        #expect(folder.files == answered)
        for peer in [desk, again] { await peer.stop() }
    }

    /// Attacker 10 brings an older head back.
    @Test func whatWasSaidOnceStays() async throws {
        var (desk, laptop, folder) = try await pair()
        let older = folder.files
        try await desk.set("late")
        for peer in [desk, laptop, desk] { try await peer.sync(&folder) }
        for (name, content) in older { folder.files[name] = content }
        try await desk.sync(&folder)
        #expect(try await seen(by: "laptop", of: desk) == true)
        for peer in [desk, laptop] { await peer.stop() }
    }
}
