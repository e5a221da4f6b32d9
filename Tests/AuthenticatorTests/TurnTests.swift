import Authorization
import BrokerProtocol
import Cryptography
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// Requests that wait: for another answer to be judged, for another request's answer, and for the delay after failures.
@Suite(.timeLimit(.minutes(30))) struct TurnTests {
    private static let next = Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil)))
    private static let cancel = Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Cancel()))

    /// Time in which a request that is told of a thing twice would be told again. Nothing waits for it to be enough.
    private static func wait() { Thread.sleep(forTimeInterval: 0.3) }

    private func attempts(_ fixture: Fixture) -> String { "\(fixture.registry.directory)/attempts" }

    /// As another process whose answer is being judged.
    private func judging(_ fixture: Fixture) throws -> FileLock {
        try Folder.make(attempts(fixture), mode: 0o700)
        return try FileLock(path: "\(attempts(fixture))/\(fixture.account.uid).guess")
    }

    /// A client that has answered and waits for the other answer to be judged.
    private func waiting(_ fixture: Fixture) throws -> TestClient {
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).message?.text == "Another answer is being checked; this one is next.")
        return client
    }

    @Test func whoWaitsForTheTurnIsToldOnceAndIsNext() throws {
        let fixture = try Fixture()
        let other = try judging(fixture)
        var client = try waiting(fixture)
        try client.send(Self.next)
        Self.wait()
        #expect(!fixture.broker.calls.contains("Prepare"))
        other.keep()
        _ = consume other
        #expect(try client.receive(TestClient.Step.self).isDone)
    }

    @Test func whoWaitsForTheTurnCanGiveUp() throws {
        let fixture = try Fixture()
        let other = try judging(fixture)
        var client = try waiting(fixture)
        try client.send(Self.next + Self.cancel)
        #expect(try client.receive(TestClient.Step.self).name == .authenticationCancelled)
        #expect(try client.receive(Nothing.self) == .success(Nothing()))
        #expect(eventually { fixture.broker.refusals == ["cancelled"] && fixture.conversations.isEmpty })
        // It was not judged, so it was no guess.
        #expect(try fixture.attempts?.failures == 0)
        other.keep()
    }

    @Test func whoIsToldOfTheWaitCanGiveUpAtOnce() throws {
        let fixture = try Fixture()
        let other = try judging(fixture)
        var client = try waiting(fixture)
        #expect(try client.cancel() == .success(Nothing()))
        #expect(try client.seesEnd())
        other.keep()
    }

    private func companion(_ challenge: String) throws -> BrokerInterface.Companion {
        let digest = Hex.encode(try SHA256.digest(Array(challenge.utf8)))
        return BrokerInterface.Companion(digest: digest, service: "github", account: "me", reason: nil)
    }

    /// A second request, which waits for the answer in the first one's prompt.
    private func second(_ fixture: Fixture) throws -> TestClient {
        var second = try fixture.client()
        #expect(
            try second.begin("second").message?.text == "Waiting for the answer in this program's other request.")
        return second
    }

    private func shared() throws -> Fixture {
        let fixture = try Fixture()
        let companion = try companion("second")
        fixture.broker.change { $0.companions = [companion] }
        return fixture
    }

    @Test func aRefusalIsForTheWaitingRequestToo() throws {
        let fixture = try shared()
        var first = try fixture.client()
        _ = try first.begin("first")
        var second = try second(fixture)
        // It is told of the wait once.
        try second.send(Self.next)
        Self.wait()
        #expect(try first.go().message?.style == .secret)
        #expect(try first.go("wrong").name == .authenticationFailed)
        #expect(try second.receive(TestClient.Step.self).name == .authenticationFailed)
        // One answer is one guess.
        #expect(try fixture.attempts?.failures == 1)
        #expect(fixture.broker.completions.isEmpty)
    }

    @Test func whoGivesUpGivesUpForTheWaitingRequestToo() throws {
        let fixture = try shared()
        var first = try fixture.client()
        _ = try first.begin("first")
        var second = try second(fixture)
        try second.send(Self.next)
        #expect(try first.cancel() == .success(Nothing()))
        #expect(try second.receive(TestClient.Step.self).name == .authenticationCancelled)
    }

    @Test func whoWaitsForAnotherRequestCanGiveUp() throws {
        let fixture = try shared()
        var first = try fixture.client()
        _ = try first.begin("first")
        var second = try second(fixture)
        try second.send(Self.next + Self.cancel)
        #expect(try second.receive(TestClient.Step.self).name == .authenticationCancelled)
        #expect(try second.receive(Nothing.self) == .success(Nothing()))
        // The first one's prompt is as it was.
        #expect(try first.go().message?.style == .secret)
        #expect(try first.go(Fixture.password).isDone)
        #expect(fixture.broker.completions.map(\.challenge) == ["first"])
    }

    @Test func whoIsToldOfAnotherRequestCanGiveUpAtOnce() throws {
        let fixture = try shared()
        var first = try fixture.client()
        _ = try first.begin("first")
        var second = try second(fixture)
        #expect(try second.cancel() == .success(Nothing()))
        #expect(try second.seesEnd())
        #expect(try first.go().message?.style == .secret)
    }

    /// A client that gives up in silence has not waited, so nobody is asked after it.
    @Test func theDelayItselfCanBeGivenUp() throws {
        let fixture = try Fixture()
        let later = Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000
        try fixture.remember(AttemptRecord(failures: 8, last: later))
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.text == "There were failed tries. You can try again in 30 s.")
        try client.send(Self.next + Self.cancel)
        #expect(try client.receive(TestClient.Step.self).name == .authenticationCancelled)
        #expect(try client.receive(Nothing.self) == .success(Nothing()))
        #expect(eventually { fixture.broker.refusals == ["cancelled"] })
    }

    @Test func theDelayIsToldInSecondsAndCanBeGivenUp() throws {
        let fixture = try Fixture()
        // The clock was set back, so the delay begins when the authenticator looks.
        let later = Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000
        try fixture.remember(AttemptRecord(failures: 5, last: later))
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.text == "There were failed tries. You can try again in 4 s.")
        #expect(try client.cancel() == .success(Nothing()))
        #expect(try client.seesEnd())
        #expect(eventually { fixture.broker.refusals == ["cancelled"] })
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    // MARK: Without the count, no answer is tried

    @Test func whereTheCountCannotBeReadNobodyIsAsked() throws {
        let fixture = try Fixture()
        try Folder.make(attempts(fixture), mode: 0o700)
        try Folder.make("\(attempts(fixture))/\(fixture.account.uid).json", mode: 0o700)
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().name == .authenticationMisconfigured)
        #expect(eventually { fixture.broker.refusals == ["other"] })
    }

    /// What a stack runs so that the count can no longer be written.
    private static func blocking(_ path: String) -> String {
        "mkdir \(path)/registry/attempts/\(OwnProcess.effectiveUser).json.writing"
    }

    @Test func aRightAnswerEarnsNothingIfItCannotBeNoted() throws {
        let fixture = try Fixture(
            .init(prepare: { path in
                let script = """
                    #!/bin/sh
                    read -r given || [ -n "$given" ] || exit 1
                    [ "$given" = '\(Fixture.password)' ] && \(Self.blocking(path))

                    """
                try Script.write(script, to: "\(path)/pam/check")
            }))
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name == .authenticationMisconfigured)
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test func aRefusedFingerThatCannotBeCountedIsNoSimpleRefusal() throws {
        let fixture = try Fixture(
            .init(
                pam: """
                    auth optional pam_exec.so quiet CHECK
                    auth required pam_deny.so
                    account required pam_permit.so
                    """,
                prepare: { path in
                    try Script.write("#!/bin/sh\n\(Self.blocking(path))\n", to: "\(path)/pam/check")
                }))
        var client = try fixture.client()
        #expect(try client.authenticate("").name == .authenticationMisconfigured)
    }
}
