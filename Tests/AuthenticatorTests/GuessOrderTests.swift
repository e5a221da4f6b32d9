import BrokerProtocol
import Foundation
import JSON
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// Attacker 4 answers on and on, so that a person's own answer waits.
@Suite(.timeLimit(.minutes(30))) struct GuessOrderTests {
    private static let next = Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil)))

    /// A PAM stack that writes each answer down, and judges none while there is a file `held`.
    private func judge() throws -> Fixture {
        try Fixture(
            .init(
                settings: "prompt-timeout = 600",
                prepare: { path in
                    let script = """
                        #!/bin/sh
                        read -r given || [ -n "$given" ] || exit 1
                        echo "$given" >>\(path)/judged
                        while [ -e \(path)/held ]; do sleep 0.02; done
                        [ "$given" = '\(Fixture.password)' ]

                        """
                    try Script.write(script, to: "\(path)/pam/check")
                }))
    }

    private func judged(_ fixture: Fixture) -> [String] {
        // Without a file there was no answer.
        let text = (try? String(contentsOfFile: "\(fixture.path)/judged", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// As another process whose answer is being judged.
    private func judging(_ fixture: Fixture) throws -> FileLock {
        let folder = "\(fixture.registry.directory)/attempts"
        try Folder.make(folder, mode: 0o700)
        return try FileLock(path: "\(folder)/\(fixture.account.uid).guess")
    }

    private func asked(_ fixture: Fixture) throws -> TestClient {
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        return client
    }

    /// The program has answered once and has a second answer waiting when a person answers for the first time.
    @Test func aFirstAnswerIsJudgedBeforeASecondOne() throws {
        let fixture = try judge()
        var first = try asked(fixture)
        #expect(try first.go("first").name == .authenticationFailed)
        try DurableFile.write([], to: "\(fixture.path)/held", mode: 0o644)
        var second = try asked(fixture)
        // Of these, one is being judged, and the other one is the person.
        let others = try Guessers(fixture, 2)
        try others.answer(0, "other")
        try #require(eventually { judged(fixture) == ["first", "other"] })
        #expect(try second.go("second").message?.text == "Another answer is being checked; this one is next.")
        try second.send(Self.next)
        try #require(eventually { fixture.queue?.waiting.count == 1 })
        try others.answer(1, Fixture.password)
        try #require(eventually { fixture.queue?.waiting.count == 2 })
        try FileRemoval.remove("\(fixture.path)/held")
        #expect(eventually { others.heard(1).last == "done" })
        #expect(try second.receive(TestClient.Step.self).name == .authenticationFailed)
        #expect(judged(fixture) == ["first", "other", Fixture.password, "second"])
        // What waits no longer is forgotten, and so are the guesses of a program that was right.
        #expect(eventually { fixture.queue?.waiting.isEmpty == true })
        #expect(fixture.queue?.guessers.count == 2 && fixture.queue?.guessers.last?.pid == OwnProcess.number)
    }

    /// A program that has waited is told of a delay, and does not go on.
    @Test func whoDoesNotGoOnHoldsUpNobody() throws {
        let fixture = try Fixture(.init(settings: "prompt-timeout = 600"))
        let other = try judging(fixture)
        var idle = try asked(fixture)
        let person = try Guessers(fixture, 1)
        #expect(try idle.go("wrong").message?.text == "Another answer is being checked; this one is next.")
        try idle.send(Self.next)
        try #require(eventually { fixture.queue?.waiting.count == 1 })
        // The clock was set back, so the delay begins when the authenticator looks.
        try fixture.remember(AttemptRecord(failures: 8, last: WallTime.milliseconds + 3_600_000))
        other.keep()
        _ = consume other
        #expect(
            try idle.receive(TestClient.Step.self).message?.text
                == "There were failed tries. Your answer is checked in 30 s.")
        #expect(fixture.queue == nil)
        try fixture.remember(AttemptRecord())
        try person.answer(0, Fixture.password)
        #expect(eventually { person.heard(0).last == "done" })
        #expect(try idle.cancel() == .success(Nothing()))
    }

    /// The person has answered. That nobody did would be untrue.
    @Test(arguments: [
        (true, "other programs' wrong answers kept yours waiting for too long", "see which programs with: coffer log"),
        (false, "your answer had to wait for too long after wrong ones", "wait a little, then run the command again"),
    ])
    func anAnswerThatStillWaitsAtTheEndOfTheTimeIsNotCalledMissing(
        hasOthers: Bool, message: String, advice: String
    ) throws {
        let fixture = try Fixture(.init(settings: "prompt-timeout = 30"))
        if hasOthers { try fixture.rememberGuess(by: 1) }
        let other = try judging(fixture)
        var client = try asked(fixture)
        #expect(try client.go(Fixture.password).message != nil)
        try client.send(Self.next)
        let fault = try client.receive(TestClient.Step.self).fault
        #expect(fault?.name == .authenticationTimedOut)
        #expect(fault?.details.message == message && fault?.details.advice == advice)
        #expect(eventually { fixture.broker.refusals == ["timeout"] && fixture.conversations.isEmpty })
        #expect(fixture.queue?.waiting.isEmpty ?? true)
        other.keep()
    }

    /// A queue of an earlier start of the machine names other processes.
    @Test func anotherBootsQueueCountsForNothing() throws {
        let fixture = try Fixture()
        try fixture.rememberGuess(by: OwnProcess.number, boot: "another")
        let line = try GuessLine(
            registryDirectory: fixture.registry.directory, uid: fixture.account.uid, process: .current())
        #expect(try !line.hasOthers(than: line.answer()))
        #expect(fixture.queue == nil)
    }
}

extension Fixture {
    private var queuePath: String { "\(registry.directory)/guesses/\(account.uid).json" }

    /// The answers that wait, and who has guessed; nil if there is nothing of it.
    var queue: GuessQueue? {
        // `try?`: without a file there is nothing.
        guard let bytes = try? DurableFile.read(queuePath, limit: FileLimits.state) else { return nil }
        return try? JSONReader.read(GuessQueue.self, from: bytes)  // As above.
    }

    /// Records a wrong answer of a program.
    func rememberGuess(by program: Int32, boot: String? = nil) throws {
        var queue = GuessQueue(boot: try boot ?? BootTime.bootID())
        queue.guessers = [.init(pid: program, startTime: 1, count: 1, last: BootTime.milliseconds)]
        try Folder.make("\(registry.directory)/guesses", mode: 0o700)
        try DurableFile.write(JSONWriter.bytes(of: queue), to: queuePath, mode: 0o600)
    }
}
