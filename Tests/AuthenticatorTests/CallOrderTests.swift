import BrokerProtocol
import Circle
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// The order of a client's calls: what each is answered with, and what comes of one at another moment.
@Suite(.timeLimit(.minutes(30))) struct CallOrderTests {
    @Test func whoCancelsBeforeBeginningIsAnsweredOnce() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        #expect(try client.cancel() == .success(Nothing()))
        #expect(try client.seesEnd())
        #expect(fixture.broker.calls.isEmpty)
    }

    @Test func callsThatComeTogetherAreAnsweredOneByOne() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        let call = Varlink.encode(VarlinkCall(VarlinkService.GetInfo()))
        try client.send(call + call)
        for _ in 0..<2 { #expect(try client.receive(VarlinkService.GetInfo.Reply.self).fault == nil) }
        #expect(try client.begin().message != nil)
    }

    @Test func whoCancelsAfterAComplaintIsAnsweredOnce() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(String(repeating: "x", count: 512)).name == .authenticationInvalidArgument)
        #expect(try client.cancel() == .success(Nothing()))
        #expect(try client.seesEnd())
    }

    @Test func otherCallsInTheMiddleAreComplainedOf() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        _ = try client.begin()
        let names = [
            try client.call(BrokerProtocol.Authentication.Forget()).name,
            try client.call(BrokerProtocol.Authentication.RenewSigningKey()).name,
            try client.call(BrokerProtocol.Authentication.SetAside(owner: "user:0", stamp: "0")).name,
            try client.call(BrokerProtocol.Authentication.Biometry()).name,
            try client.call(BrokerProtocol.Authentication.Challenge(code: "", request: "", identity: "")).name,
        ]
        #expect(names == [Fault.Name?](repeating: .authenticationInvalidArgument, count: 5))
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
        #expect(try fixture.registry.presentKey() == fixture.record.authenticatorKey)
    }

    @Test(arguments: [false, true]) func callsBesideTheConversationAreCounted(hasBegun: Bool) throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        if hasBegun { _ = try client.begin() }
        for number in 1...ClientLimits.asides + 1 {
            let expected: Fault.Name? = number > ClientLimits.asides ? .authenticationLimitExceeded : nil
            #expect(try client.call(VarlinkService.GetInfo()).name == expected)
        }
        #expect(try client.seesEnd())
    }

    /// A client can then tell whether it has missed one.
    @Test func theMessagesAreNumbered() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        let first = try client.begin().get().step
        _ = try client.go("an answer to nothing")
        let second = try client.go().get().step
        let last = try client.go(Fixture.password).get().step
        #expect(first == 1 && second == 2 && last == nil)
    }

    @Test func aChallengeHasAtMostSoManyBytes() throws {
        let fixture = try Fixture()
        let longest = String(repeating: "c", count: LoginWire.longestChallenge)
        var client = try fixture.client()
        #expect(try client.begin(longest).message != nil)
        var other = try fixture.client()
        #expect(try other.begin(longest + "c").name == .authenticationInvalidArgument)
        #expect(fixture.broker.describes.map(\.challenge) == [longest])
    }

    /// A person may type a code in any spelling, but not without end.
    @Test func aCodeHasAtMostSoManyBytes() throws {
        let (fixture, sample) = (try Fixture(), try CircleSample())
        try fixture.ask(.addToCircle, sample)
        let code = try sample.code
        let longest = code + String(repeating: "-", count: 128 - code.utf8.count)
        var client = try fixture.client()
        #expect(try client.begin(code: longest).message != nil)
        var other = try fixture.client()
        #expect(try other.begin(code: longest + "-").name == .authenticationInvalidArgument)
        #expect(fixture.broker.describes.count == 1)
    }

    @Test func aProofIsRefusedWhereNoneBelongs() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        #expect(try client.begin(attested: true).name == .authenticationInvalidArgument)
        #expect(fixture.broker.calls == ["Describe", "Refuse"])
    }

    /// Of several mistakes, a person is told their own first: the code, then the keys of the vault, then the proof.
    @Test func thePersonsOwnMistakeIsToldFirst() throws {
        let (fixture, sample) = (try Fixture(), try CircleSample())
        let points = Fixture.points.flatMap { $0.point.map { $0 ^ 1 } }
        let request = try CircleSample.request(CircleSample.keys(1, points: points))
        try fixture.ask(.joinCircle, sample)
        fixture.broker.change { $0.facts.request = Base64.encode(request.bytes) }
        var client = try fixture.client()
        #expect(try client.begin(code: sample.code).name == .authenticationInvalidArgument)
        var second = try fixture.client()
        #expect(try second.begin(attested: true).name == .authenticationChallengeRefused)
        #expect(!fixture.broker.calls.contains("ConfirmAcceptance"))
    }

    /// Only beginning has a short time.
    @Test func aPersonHasLongerThanAClientHasToBegin() throws {
        let fixture = try Fixture(
            .init(
                settings: "prompt-timeout = 600",
                prepare: { path in
                    let script = """
                        #!/bin/sh
                        read -r given || [ -n "$given" ] || exit 1
                        sleep 11
                        [ "$given" = '\(Fixture.password)' ]

                        """
                    try Script.write(script, to: "\(path)/pam/check")
                }))
        var client = try fixture.client()
        #expect(try client.begin().message != nil)
        // It takes longer than a client may take to begin.
        let outcome = try Puppet(fixture).perform(.authorize(300))
        #expect(outcome.done, "\(outcome)")
        #expect(try client.go().message?.style == .secret)
    }
}
