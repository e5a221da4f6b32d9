import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

@testable import CofferClient

/// Attackers 10 and a broker that was taken over, at the command line.
@Suite struct SyncAttackTests {
    /// Somebody who writes to the folder puts an answer there. It stays, and would be there again.
    @Test func aForeignAnswerNamesTheWayOut() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.alone], "Request": [SyncFixture.requested],
            "Enter": [.fault(.invalidArgument, .init(message: "this is no answer"))],
        ])
        defer { fixture.remove() }
        try fixture.put([0], SyncFixture.answer)
        let result = try fixture.fake.program.run("sync", "join", fixture.folder)
        #expect(
            result.status == 7 && result.errors.contains("coffer sync join \(fixture.folder) --new"), "\(result.errors)"
        )
        #expect(fixture.fake.broker.calls("Set").isEmpty && fixture.fake.broker.calls("Take").isEmpty)
    }

    /// A broker that was taken over has files written or read elsewhere.
    @Test func filesOfJoiningLieInTheirPlace() throws {
        for (request, answer) in [
            ("../x", SyncFixture.answer), (SyncFixture.request, "../x"), (SyncFixture.answer, SyncFixture.answer),
            (SyncFixture.request, "join/\(String(repeating: "0d", count: 16))-answer"),
            ("\(SyncFixture.circle)/beacon", SyncFixture.answer),
        ] {
            let fixture = try SyncFixture([
                "State": [SyncFixture.alone],
                "Request": [
                    .answer(
                        Sync.Request.Reply(
                            code: SyncFixture.code, request: .init(path: request, content: ""), answer: answer))
                ],
            ])
            defer { fixture.remove() }
            let result = try fixture.fake.program.run("sync", "join", fixture.folder, "--no-wait")
            #expect(result.status == 1 && result.errors.contains("not understood"), "\(request) \(answer)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).isEmpty)
        }
    }

    @Test func anAnswerIsWrittenToItsPlaceOnly() throws {
        for path in ["../x", SyncFixture.request, "join/\(String(repeating: "0d", count: 16))-answer"] {
            let fixture = try SyncFixture([
                "State": [SyncFixture.shared],
                "Add": [
                    .answer(Sync.Add.Reply(path: SyncFixture.request, words: [])),
                    .answer(
                        Sync.Add.Reply(
                            path: SyncFixture.request, answer: .init(path: path, content: Base64.encode([6])),
                            words: [])),
                ],
            ])
            defer { fixture.remove() }
            try fixture.put([1], SyncFixture.request)
            let result = try fixture.fake.program.run(
                "sync", "add", input: .bytes(Array((SyncFixture.code + "\n").utf8)))
            #expect(result.status == 1, "\(result.errors)")
            #expect(fixture.file(SyncFixture.request) == [1] && fixture.file(SyncFixture.answer) == nil)
        }
    }

    /// A prompt for something else, such as to unlock the vault, gets no code.
    @Test func theCodeIsForItsOwnPromptAlone() throws {
        let fixture = try SyncFixture([
            "State": [SyncFixture.shared],
            "Add": [
                .answer(Sync.Add.Reply(path: SyncFixture.request, words: [])),
                FakeCoffer.personNeeded([.unlock]),
                .answer(
                    Sync.Add.Reply(
                        path: SyncFixture.request,
                        answer: .init(path: SyncFixture.answer, content: Base64.encode([6])), words: [])),
            ],
        ])
        defer { fixture.remove() }
        try fixture.put([1], SyncFixture.request)
        let typed = Program.Turn(wait: "Code that the new machine shows: ", type: SyncFixture.code + "\r")
        let result = try fixture.run("add", turns: [typed, SyncFixture.password])
        #expect(result.status == 0, "\(result.screen)")
        let begun = try fixture.fake.authenticator.calls("Begin").map { try $0.parameters(Authentication.Begin.self) }
        #expect(begun.map { $0?.code } == [nil])
    }

    /// An agent would begin the conversation without the code, and the authenticator could not compare it.
    @Test func noAgentTakesACode() throws {
        let scratch = try Scratch()
        let paths = SocketPaths(environment: ["COFFER_SOCKET": scratch.file("coffer.sock")])
        var prompter: any Prompter = AgentPrompter(
            client: AgentClient(path: scratch.file("agent.sock"), user: geteuid()), display: nil, fallback: nil)
        let error = #expect(throws: KeychainError.self) {
            let code = TypedCode(SyncFixture.code)
            try Authenticator(paths: paths, caller: geteuid()).pass("c1", code: code, by: &prompter)
        }
        #expect(error?.code == .authenticationNeeded && error?.message.contains("code of another machine") == true)
    }

    /// Names come from other machines. They drive no terminal.
    @Test func aMachinesNameDrivesNoTerminal() throws {
        let state = Sync.State.Reply(
            circle: SyncFixture.circle, machines: [SyncFixture.machine("x\u{1B}[2J\nroot", own: true)], joined: true)
        let fixture = try SyncFixture(["State": [.answer(state)]])
        defer { fixture.remove() }
        let result = try fixture.fake.program.run("sync", "status")
        #expect(result.status == 0 && !result.text.contains("\u{1B}"))
        #expect(result.text.split(separator: "\n").count == 5, "\(result.text)")
    }
}
