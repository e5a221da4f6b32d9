import BrokerProtocol
import Circle
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import coffer_cli

/// What the commands of `coffer sync` say is so: of codes on paper, of codes to join, and of what the folder has.
@Suite struct SharingTruthTests {
    private static let codes = ["24d70000", "96320000", "5ca10000"].map { $0 + String(repeating: "0", count: 24) }

    private func code(_ place: Int) -> Sync.Machine {
        .init(device: Self.codes[place], name: "paper", role: "paper", own: false, forked: false)
    }

    private func machine(_ name: String, own: Bool = false, missing: Int64? = nil) -> Sync.Machine {
        .init(
            device: String(repeating: own ? "d" : "1", count: 32), name: name, role: "admin", own: own,
            heard: 1_800_000_000_000, forked: false, missing: missing)
    }

    /// `coffer sync paper --again` leaves a code that ended, and one that counts. Of the first one something is to be changed.
    @Test func thePaperOfALostSheetIsTheFormerOne() throws {
        let machines = [machine("desk", own: true), code(0), code(1)]
        let choice = MachineChoice(machines: machines, former: [Self.codes[1]])
        #expect(try choice.chosen(["paper"]).map(\.device) == [Self.codes[1]])
        let several = MachineChoice(machines: machines + [code(2)], former: [Self.codes[1], Self.codes[2]])
        #expect(try several.chosen(["paper"]).map(\.device) == [Self.codes[1], Self.codes[2]])
        #expect(try several.chosen([String(Self.codes[0].prefix(8))]).map(\.device) == [Self.codes[0]])
        let present = MachineChoice(machines: [machine("desk", own: true), code(0)])
        #expect(try present.chosen(["paper"]).map(\.device) == [Self.codes[0]])
    }

    @Test func aListSaysWhichOneEnded() {
        let machines = [machine("desk", own: true), machine("paper"), code(0), code(1)]
        let choice = MachineChoice(machines: machines, former: [Self.codes[1]])
        let error = #expect(throws: KeychainError.self) { try choice.chosen(["paper"]) }
        let words = error?.description ?? ""
        #expect(words.contains("(24d70000), the present code"), "\(words)")
        #expect(words.contains("(96320000), removed"), "\(words)")
    }

    @Test func noMachineIsCalledLikeTheCode() {
        for name in ["paper", "Paper", "PAPER"] { #expect(throws: (any Error).self) { try SyncCommand.name(name) } }
        #expect(SyncCommand.hostName("paper.example.com").text == "paper-1")
        #expect(SyncCommand.hostName("paper-mill").text == "paper-mill")
    }

    @Test func whatDoesNotComeFromAMachineIsSaid() {
        var state = Sync.State.Reply(
            circle: "ab", machines: [machine("desk", own: true), machine("laptop", missing: 2)], joined: true)
        state.waiting = 2
        let lines = SharingText.status(state, folder: "/x", width: nil)
        #expect(
            lines.contains("Missing: laptop was heard, but 2 of its changes are missing or damaged in the folder"))
        state.machines[1].missing = nil
        #expect(!SharingText.status(state, folder: "/x", width: nil).contains { $0.hasPrefix("Missing") })
    }

    private static func head(at time: UInt64) throws -> [UInt8] {
        let circle = try #require(StatementName(bytes: [UInt8](repeating: 0xAB, count: 32)))
        let device = try #require(WriterID(bytes: [UInt8](repeating: 1, count: 16)))
        let run = try #require(RunID(bytes: [UInt8](repeating: 2, count: 16)))
        let chain = try #require(ChainHash(bytes: [UInt8](repeating: 3, count: 32)))
        let end = try #require(RunEnd(run: run, number: 1, chain: chain))
        let head = try StreamHead(
            circle: circle, device: device, predecessor: nil, end: end, time: time,
            stateDigest: [UInt8](repeating: 4, count: 32), seen: [])
        return SignedHead(head, signature: [UInt8](repeating: 5, count: 64)).bytes
    }

    /// A write that has failed leaves the folder behind what the machine has signed. Nobody else has it until the next one.
    @Test func aFolderThatLacksTheLastHeadIsNamed() throws {
        var own = SyncFixture.machine("desk", own: true)
        own.heard = 1_800_000_000_000
        let state = Sync.State.Reply(circle: SyncFixture.circle, machines: [own], joined: true)
        let fixture = try SyncFixture(["State": [.answer(state)]])
        defer { fixture.remove() }
        let place = "\(SyncFixture.circle)/heads/\(SyncFixture.device)"
        func isNamed() throws -> Bool {
            let result = try fixture.fake.program.run("sync", "status")
            #expect(result.status == 0, "\(result.errors)")
            return result.text.contains("Not in the folder yet: what this machine gave out last")
        }
        #expect(try isNamed(), "there is none")
        try fixture.put(Self.head(at: 1_799_999_999_999), place)
        #expect(try isNamed())
        try fixture.put(Self.head(at: 1_800_000_000_000), place)
        #expect(try !isNamed())
        try fixture.put([1, 2, 3], place)
        #expect(try isNamed())
    }

    private static let other = Sync.Request.Reply(
        code: SyncFixture.code,
        request: .init(path: "join/\(String(repeating: "0d", count: 16))-request", content: Base64.encode([4])),
        answer: "join/\(String(repeating: "0d", count: 16))-answer")

    private func waiting() throws -> SyncFixture {
        let fixture = try SyncFixture([
            "State": [.answer(Sync.State.Reply(requested: true))],
            "Request": [SyncFixture.requested, .answer(Self.other)], "Forget": [SyncFixture.done],
        ])
        for step in ["request", "answer", "identity", "evidence"] {
            try fixture.put([1], "join/\(SyncFixture.place)-\(step)")
        }
        return fixture
    }

    private func isEmpty(_ fixture: SyncFixture) -> Bool {
        ["request", "answer", "identity", "evidence"].allSatisfy {
            fixture.file("join/\(SyncFixture.place)-\($0)") == nil
        }
    }

    /// Somebody could still type the former code, and would add a machine that never comes.
    @Test func anotherCodeTakesTheFormerRequestAway() throws {
        let fixture = try waiting()
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "join", fixture.folder, "--new", "--no-wait", "--name", "lap")
        #expect(result.status == 0, "\(result.errors)")
        #expect(isEmpty(fixture))
        #expect(fixture.file("join/\(String(repeating: "0d", count: 16))-request") == [4])
        let calls = try fixture.fake.broker.calls("Request").map { try $0.parameters(Sync.Request.self)?.renew }
        #expect(calls == [nil, true])
    }

    @Test func whoLeavesTakesTheRequestAway() throws {
        let fixture = try waiting()
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "leave", "--folder", fixture.folder)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("They cannot add this machine with it"))
        #expect(isEmpty(fixture) && fixture.fake.broker.calls("Forget").count == 1)
    }

    /// Without the folder, the request stays, and the command says so.
    @Test func aRequestThatStaysIsNamed() throws {
        let fixture = try waiting()
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "leave")
        #expect(result.status == 0 && result.errors.contains("still lies in the folder"), "\(result.errors)")
        #expect(!isEmpty(fixture) && fixture.fake.broker.calls("Request").isEmpty)
    }
}
