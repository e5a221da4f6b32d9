import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing

/// Attacker 10 can leave anything where a machine that joins looks for a challenge. Each costs the TPM a second, so it is answered once.
@Suite struct ChallengeAnswerTests {
    private static let evidence = "join/\(SyncFixture.place)-evidence"

    /// Runs `coffer sync join` while a challenge lies in the folder. It looks several times before its time is over.
    private func join(_ answer: FakeServer.Step) throws -> (SyncFixture, Program.Result) {
        let fixture = try SyncFixture([
            "State": [SyncFixture.alone], "Request": [SyncFixture.requested], "Prove": [answer],
        ])
        try fixture.put([5], "join/\(SyncFixture.place)-challenge")
        return (fixture, try fixture.fake.program.run("sync", "join", fixture.folder, "--timeout", "2"))
    }

    @Test func aChallengeIsAnsweredOnce() throws {
        let (fixture, result) = try join(
            .answer(Sync.Prove.Reply(evidence: .init(path: Self.evidence, content: Base64.encode([7])))))
        defer { fixture.remove() }
        #expect(result.status == 1 && result.errors.contains("nobody has let this machine in"), "\(result)")
        let calls = try fixture.fake.broker.calls("Prove").map { try $0.parameters(Sync.Prove.self)?.challenge }
        #expect(calls == [Base64.encode([5])])
        #expect(fixture.file(Self.evidence) == [7])
    }

    @Test func whatCannotBeAnsweredIsTriedOnce() throws {
        let (fixture, result) = try join(.fault(.invalidArgument, "this is no challenge"))
        defer { fixture.remove() }
        #expect(result.status == 1, "\(result)")
        #expect(fixture.fake.broker.calls("Prove").count == 1 && fixture.file(Self.evidence) == nil)
        #expect(result.errors.components(separatedBy: "cannot prove its TPM").count == 2, "\(result.errors)")
    }
}
