import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

@testable import Authenticator

@Suite("What clients may not do")
struct HostileClientTests {
    @Test func answersThatCannotBeUsedAreComplainedOf() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go("an answer to nothing").name == .authenticationInvalidArgument)
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go("\(Fixture.password)\u{0}").name == .authenticationInvalidArgument)
        #expect(try client.go(String(repeating: "x", count: 512)).name == .authenticationInvalidArgument)
        #expect(try client.go().name == .authenticationInvalidArgument)
        #expect(try client.go(Fixture.password).isDone)
    }

    /// Who begins a second time does not know what the first answer was for: an agent that got the connection from a caller.
    @Test func aSecondBeginningEndsTheConversation() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        #expect(try client.begin().name == .authenticationInvalidArgument)
        #expect(eventually { fixture.conversations.isEmpty })
        #expect(!fixture.broker.calls.contains("Complete"))
    }

    @Test(arguments: [
        "{", "{}", "[1]", "nonsense", "{\"method\":1}",
        "{\"method\":\"org.coffer.Authentication.Begin\",\"parameters\":{\"challenge\":\"\"}}",
        "{\"method\":\"org.coffer.Authentication.Continue\"}",
    ])
    func nonsenseEndsTheConversation(text: String) throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        try client.send(Array(text.utf8) + [0])
        #expect(try client.receive(TestClient.Step.self).name == .authenticationInvalidArgument)
        #expect(eventually { fixture.conversations.isEmpty })
        #expect(fixture.broker.calls.isEmpty)
    }

    @Test(arguments: [
        ("Begin", ""), ("Begin", ",\"parameters\":{}"), ("Begin", ",\"parameters\":{\"challenge\":7}"),
        ("Authorize", ",\"parameters\":{\"seconds\":\"60\"}"),
    ])
    func aParameterThatIsMissingOrOfAnotherTypeIsNamed(method: String, parameters: String) throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        try client.send(Array("{\"method\":\"org.coffer.Authentication.\(method)\"\(parameters)}".utf8) + [0])
        guard case .failure(let fault) = try client.receive(Nothing.self) else {
            Issue.record("taken all the same")
            return
        }
        #expect(fault.name == .invalidParameter)
        #expect(fault.details.parameter == (method == "Begin" ? "challenge" : "seconds"))
        #expect(eventually { fixture.conversations.isEmpty })
    }

    @Test func whoWantsNoAnswerGetsNone() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        // The first answer belongs to the second call.
        try client.send(Array("{\"method\":\"org.varlink.service.GetInfo\",\"oneway\":true}".utf8) + [0])
        try client.send(Array("{\"method\":\"org.example.Other.Call\"}".utf8) + [0])
        #expect(try client.receive(Nothing.self).name == .interfaceNotFound)
        // A conversation consists of answers only.
        let begin =
            "{\"method\":\"org.coffer.Authentication.Begin\",\"oneway\":true,\"parameters\":{\"challenge\":\"c\"}}"
        try client.send(Array(begin.utf8) + [0])
        #expect(eventually { fixture.conversations.isEmpty })
        #expect(fixture.broker.calls.isEmpty)
    }

    @Test func anEndlessCallIsCutOff() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        // The authenticator may have closed before all of it was sent.
        try? client.send([UInt8](repeating: 0x20, count: 200_000))
        #expect(try client.receive(TestClient.Step.self).name == .authenticationInvalidArgument)
        #expect(eventually { fixture.conversations.isEmpty })
    }

    @Test func unknownMethodsHaveVarlinksOwnError() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        try client.send(Array("{\"method\":\"org.example.Other\"}".utf8) + [0])
        #expect(try client.receive(Nothing.self).name == .interfaceNotFound)
        try client.send(Array("{\"method\":\"org.coffer.Authentication.Other\"}".utf8) + [0])
        #expect(try client.receive(Nothing.self).name == .methodNotFound)
        let documented = try SourceTree.text("Interfaces/org.coffer.Authentication.varlink")
        let described = try client.call(
            VarlinkService.GetInterfaceDescription(interface: "org.coffer.Authentication")
        ).get()
        #expect(described.description == documented)
        let information = try client.call(VarlinkService.GetInfo()).get()
        #expect(information.interfaces.contains("org.coffer.Authentication"))
        #expect(try client.begin().message != nil)
    }

    @Test func aUserHasSoManyConversations() throws {
        let fixture = try Fixture(.init(settings: "authentications-per-user = 2"))
        do {
            var first = try fixture.client()
            #expect(try first.begin().message != nil)
            let second = try Puppet(fixture)
            #expect(try second.perform(.open).error == nil)
            // Another program's conversation is one too many. The first program's second one is not.
            let third = try Puppet(fixture)
            #expect(try third.perform(.open).error?.contains("Authentication.LimitExceeded") == true)
            var again = try fixture.client()
            #expect(try again.begin().message != nil)
        }
        #expect(eventually { fixture.conversations.isEmpty })
        var next = try fixture.client()
        #expect(try next.begin().message != nil)
    }

    @Test func guessingIsSlowedDown() throws {
        let fixture = try Fixture()
        for _ in 0..<3 {
            var client = try fixture.client()
            #expect(try client.authenticate("wrong").name == .authenticationFailed)
        }
        #expect(try fixture.attempts?.failures == 3)
        // The clock was set back. The delay begins when the authenticator looks, no matter how long this test has
        // taken.
        let later = Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000
        try fixture.remember(AttemptRecord(failures: 3, last: later))
        var client = try fixture.client()
        _ = try client.begin()
        let wait = try client.go().message
        #expect(wait?.style == .info)
        #expect(wait?.text.contains("failed tries") == true)
        // The authenticator notices during the delay that the client gives up.
        #expect(try client.cancel() == .success(Nothing()))

        try fixture.remember(AttemptRecord(failures: 3, last: later))
        var patient = try fixture.client()
        _ = try patient.begin()
        #expect(try patient.go().message?.style == .info)
        let start = ContinuousClock.now
        #expect(try patient.go().message?.style == .secret)
        #expect(start.duration(to: .now) > .milliseconds(900))
        #expect(try patient.go(Fixture.password).isDone)
        // A success resets the count.
        var next = try fixture.client()
        _ = try next.begin()
        #expect(try next.go().message?.style == .secret)
    }
}
