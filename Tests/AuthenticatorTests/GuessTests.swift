import BrokerProtocol
import Foundation
import Glibc
import JSON
import Platform
import Testing
import Varlink

@testable import Authenticator

/// Malware of the same user tries passwords, with as many processes as it likes.
@Suite("One guess at a time, and each counts")
struct GuessTests {
    /// A PAM stack that writes down when it begins to judge an answer.
    private struct Judge {
        let fixture: Fixture

        /// - Parameter holds: the stack does not end before the test lets it go.
        init(holds: Bool) throws {
            fixture = try Fixture(
                .init(
                    settings: "prompt-timeout = 600",
                    prepare: { path in
                        let wait = holds ? "while [ ! -e \(path)/release ]; do sleep 0.02; done" : ":"
                        let script = """
                            #!/bin/sh
                            read -r given || [ -n "$given" ] || exit 1
                            date +%s >>\(path)/judged
                            \(wait)
                            [ "$given" = '\(Fixture.password)' ]

                            """
                        try DurableFile.write(Array(script.utf8), to: "\(path)/pam/check", mode: 0o755)
                    }))
        }

        /// When guesses reached PAM, in seconds.
        var guesses: [Int] {
            // Without a file there was none.
            let text = (try? String(contentsOfFile: "\(fixture.path)/judged", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").compactMap { Int($0) }
        }

        func release() throws { try Data().write(to: URL(fileURLWithPath: "\(fixture.path)/release")) }
    }

    /// A client that has been asked the question.
    private final class AskedClient {
        private var client: TestClient

        init(_ fixture: Fixture) throws {
            client = try fixture.client()
            _ = try client.begin()
            #expect(try client.go().message?.style == .secret)
        }

        /// Answers, and does not wait for the result.
        func answer(_ text: String) throws {
            try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: text))))
        }
    }

    @Test func eightProcessesGuessOneAfterAnother() throws {
        let judge = try Judge(holds: true)
        let guessers = try Guessers(judge.fixture, 8)
        try guessers.answer(0)
        #expect(eventually { judge.guesses.count == 1 })
        for number in 1..<8 { try guessers.answer(number) }
        for number in 1..<8 {
            try #require(eventually { guessers.heard(number).contains { $0.contains("Another answer") } })
        }
        #expect(judge.guesses.count == 1)
        try judge.release()
        #expect(eventually { guessers.heard(0).contains { $0.contains("Failed") } })
        // It is the next one's turn.
        #expect(eventually { judge.guesses.count >= 2 })
    }

    @Test func theDelayIsEverybodys() throws {
        let judge = try Judge(holds: false)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try judge.fixture.remember(AttemptRecord(failures: 10, last: now - 60_000))
        let guessers = try Guessers(judge.fixture, 8)
        for number in 0..<8 { try guessers.answer(number) }
        func isOver(_ number: Int) -> Bool {
            guessers.heard(number).contains { $0.contains("failed tries") || $0.contains("Failed") }
        }
        #expect(eventually { (0..<8).allSatisfy(isOver) })
        // On a slow machine there may have been more guesses, each after its delay.
        let guesses = judge.guesses
        #expect(!guesses.isEmpty)
        #expect(zip(guesses, guesses.dropFirst()).allSatisfy { $1 - $0 >= 20 }, "\(guesses)")
    }

    @Test func whoKillsTheProcessHasGuessedAllTheSame() throws {
        let judge = try Judge(holds: true)
        for number in 1...3 {
            let client = try AskedClient(judge.fixture)
            try client.answer("wrong")
            #expect(eventually { judge.guesses.count == number })
            for pid in judge.fixture.conversations { kill(pid, SIGKILL) }
            #expect(eventually { judge.fixture.conversations.isEmpty })
            #expect(try judge.fixture.attempts?.failures == number)
            // What the module has started ends with it.
            #expect(eventually { judge.fixture.helpers.isEmpty })
        }
        try judge.release()
    }

    @Test func whoHangsUpHasGuessedAllTheSame() throws {
        let judge = try Judge(holds: true)
        do {
            let client = try AskedClient(judge.fixture)
            try client.answer("wrong")
            #expect(eventually { judge.guesses.count == 1 })
        }
        #expect(eventually { judge.fixture.conversations.isEmpty })
        #expect(try judge.fixture.attempts?.failures == 1)
        try judge.release()
    }

    @Test func aPersonWhoThinksHoldsUpNobody() throws {
        let judge = try Judge(holds: false)
        let thinking = try Guessers(judge.fixture, 1)
        var client = try judge.fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(try judge.fixture.attempts?.failures == 0)
        try thinking.answer(0, Fixture.password)
        #expect(eventually { thinking.heard(0).last == "done" })
    }

    @Test func givingUpUnaskedCountsNothing() throws {
        let judge = try Judge(holds: false)
        for _ in 0..<5 { _ = try AskedClient(judge.fixture) }
        #expect(eventually { judge.fixture.conversations.isEmpty })
        #expect(try judge.fixture.attempts?.failures ?? 0 == 0)
        #expect(judge.guesses.isEmpty)
    }

    @Test func aStackThatAsksNothingCountsToo() throws {
        let fixture = try Fixture(
            .init(pam: "auth required pam_deny.so\naccount required pam_permit.so"))
        for number in 1...2 {
            var client = try fixture.client()
            #expect(try client.authenticate("").name == .authenticationFailed)
            #expect(try fixture.attempts?.failures == number)
        }
    }

    /// As `pam_fprintd` does if nobody touches the reader, or if it is busy.
    @Test func aStackThatCannotAskCountsNothing() throws {
        let fixture = try Fixture(
            .init(pam: "auth required pam_debug.so auth=authinfo_unavail\naccount required pam_permit.so"))
        for _ in 0..<4 {
            var client = try fixture.client()
            #expect(try client.authenticate("").name == .authenticationMisconfigured)
        }
        #expect(try fixture.attempts?.failures ?? 0 == 0)
    }

    /// Answers to these calls, one by one, would keep everybody else's answer waiting.
    @Test func whoCallsOnWhileTheAnswerIsJudgedEndsTheConversation() throws {
        let judge = try Judge(holds: true)
        var client = try judge.fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        let answer = Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: "wrong")))
        try client.send(answer + Varlink.encode(VarlinkCall(VarlinkService.GetInfo())))
        #expect(try client.receive(TestClient.Step.self).name == .authenticationInvalidArgument)
        #expect(eventually { judge.fixture.conversations.isEmpty })
        // It is the next one's turn.
        var next = try judge.fixture.client()
        try judge.release()
        #expect(try next.authenticate(Fixture.password).isDone)
    }
}

extension Fixture {
    private var attemptsPath: String { "\(path)/registry/attempts/\(account.uid).json" }

    /// The failures of the user that the authenticator has recorded; nil if there are none.
    var attempts: AttemptRecord? {
        get throws {
            guard try FileStatus.of(attemptsPath) != nil else { return nil }
            return try JSONReader.read(
                AttemptRecord.self, from: DurableFile.read(attemptsPath, limit: 4096))
        }
    }

    /// Records so many failures.
    func remember(_ record: AttemptRecord) throws {
        try Folder.make("\(path)/registry/attempts", mode: 0o700)
        try DurableFile.write(JSONWriter.bytes(of: record), to: attemptsPath, mode: 0o600)
    }
}
