import BrokerProtocol
import JSON
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// What the authenticator's processes tell each other about prompts: what is kept, for how long, and what is over.
@Suite struct PromptBoardTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/prompts/7.json"
    }

    private func board(_ pid: Int32) throws -> PromptBoard {
        try PromptBoard(
            registryDirectory: folder.path, uid: 7,
            group: PromptGroup(pid: pid, startTime: 1, owner: "user:7", purposes: ["read"], services: ["coffer"]))
    }

    private func prompts() throws -> [SharedPrompt] {
        try JSONReader.readValue([SharedPrompt].self, from: DurableFile.read(path, limit: 1 << 20))
    }

    private func write(_ prompts: [SharedPrompt]) throws {
        try DurableFile.write(JSONWriter.bytes(of: prompts), to: path, mode: 0o600)
    }

    @Test func theNewestPromptsAreKept() throws {
        let last = Int32(SharingLimits.prompts + 2)
        for pid in 1...last {
            let turn = try board(pid).turn(of: "token")
            #expect(turn == .ask)
        }
        #expect(try prompts().map(\.group.pid) == Array(3...last))
    }

    @Test func whatWasAskedBeforeARestartIsOver() throws {
        let board = try board(1)
        #expect(try board.turn(of: "own") == .ask)
        #expect(try board.turn(of: "second") == .wait)
        let before = try prompts().map {
            SharedPrompt(group: $0.group, boot: "another", leader: $0.leader, outcome: $0.outcome)
        }
        try write(before)
        #expect(try board.turn(of: "second") == .ask)
    }

    /// A request that took the answer is not shown again while its process lives. An answer that nobody waits for goes.
    @Test func whatTookAnAnswerCountsAsLongAsItsProcessLives() throws {
        let board = try board(1)
        #expect(try board.turn(of: "own") == .ask)
        try board.end(.yes, of: "own", for: ["own", "other"])
        #expect(try board.answered() == ["own", "other"])
        let asked = try #require(try prompts().first)
        let outcome = try #require(asked.outcome)
        let ended = SharedPrompt.Server(ProcessIdentity(pid: try ProcessIdentity.current().pid, startTime: 1))
        func remember(_ time: Int64) throws {
            let changed = SharedPrompt.Outcome(
                answer: outcome.answer, items: outcome.items, taken: ["own": ended], time: time)
            try write([SharedPrompt(group: asked.group, boot: asked.boot, leader: asked.leader, outcome: changed)])
        }
        try remember(BootTime.milliseconds)
        #expect(try board.answered() == ["other"])
        for time in [outcome.time - SharingLimits.memory, outcome.time + 3_600_000, .min] {
            try remember(time)
            #expect(try board.answered().isEmpty, "\(time)")
            #expect(try FileStatus.of(path) == nil, "\(time)")
        }
    }

    @Test func nothingLearntOfThePersonIsNoAnswer() {
        let refusal = ConversationError.refused(.failed(.password, "no"))
        for (error, isShared) in [
            (refusal, true), (.cancelled, true), (.timedOut, true), (.refused(.misconfigured("no")), false),
            (.refused(.challengeRefused("no")), false), (.gone, false), (.terminated, false),
        ] as [(ConversationError, Bool)] {
            let answer = SharedPrompt.Answer(error)
            #expect((answer != nil) == isShared && answer?.error == (isShared ? error : nil), "\(error)")
        }
        #expect(SharedPrompt.Answer.yes.error == nil)
    }

    @Test func eachAnswerIsReadAsItWasWritten() throws {
        let fault = Fault(.authenticationFailed, "no", advice: "try again")
        for answer in [SharedPrompt.Answer.yes, .cancelled, .timedOut, .refused(fault, reason: "password")] {
            let read = try JSONReader.readValue(SharedPrompt.Answer.self, from: JSONWriter.bytes(of: answer))
            #expect(read == answer)
        }
        for text in [
            "{}", #"{"yes":{},"cancelled":{}}"#, #"{"yes":{},"timedOut":{}}"#, #"{"cancelled":{},"timedOut":{}}"#,
            #"{"refused":{"reason":"password"}}"#, #"{"other":{}}"#,
        ] {
            #expect(throws: JSONFailure.self, "\(text)") {
                try JSONReader.readValue(SharedPrompt.Answer.self, from: Array(text.utf8))
            }
        }
    }
}
