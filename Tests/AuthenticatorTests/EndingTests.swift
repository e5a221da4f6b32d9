import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@Suite("Nothing outlives a conversation")
struct EndingTests {
    /// A stack whose module hangs and has started a helper of its own.
    static let hanging = "auth required pam_exec.so quiet CHECK\naccount required pam_permit.so"

    static func hang(_ path: String) throws {
        let sleeper = "#!/bin/sh\ntrap '' TERM HUP INT\ntouch \(path)/hangs\n\(path)/pam/sleeper &\nwait\n"
        try Script.write(sleeper, to: "\(path)/pam/check")
        try Script.write("#!/bin/sh\ntrap '' TERM HUP INT\nsleep 6000 & wait\n", to: "\(path)/pam/sleeper")
    }

    @Test func aClientThatGoesAtThePromptTakesTheProcessAlong() throws {
        let fixture = try Fixture()
        do {
            var client = try fixture.client()
            _ = try client.begin()
            #expect(try client.go().message?.style == .secret)
            #expect(fixture.conversations.count == 1)
        }
        #expect(eventually { fixture.conversations.isEmpty })
        #expect(eventually { fixture.broker.refusals == ["cancelled"] })
        #expect(eventually { fixture.log.contains("client gone") })
    }

    @Test func aClientThatGoesTakesAHangingModuleAlong() throws {
        let fixture = try Fixture(.init(pam: Self.hanging, prepare: Self.hang))
        do {
            var client = try fixture.client()
            _ = try client.begin()
            try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil))))
            #expect(eventually { fixture.helpers.count >= 2 })
        }
        #expect(eventually { fixture.conversations.isEmpty && fixture.helpers.isEmpty })
    }

    @Test func cancellingIsAnswered() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        #expect(try client.cancel() == .success(Nothing()))
        #expect(try client.seesEnd())
        #expect(eventually { fixture.broker.refusals == ["cancelled"] && fixture.conversations.isEmpty })
    }

    @Test func cancellingAHangingModuleAnswersBothCalls() throws {
        let fixture = try Fixture(.init(pam: Self.hanging, prepare: Self.hang))
        var client = try fixture.client()
        _ = try client.begin()
        try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil))))
        #expect(eventually { fixture.helpers.count >= 2 })
        try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Cancel())))
        #expect(try client.receive(TestClient.Step.self).name == .authenticationCancelled)
        #expect(try client.receive(Nothing.self) == .success(Nothing()))
        #expect(eventually { fixture.conversations.isEmpty && fixture.helpers.isEmpty })
    }

    @Test func theTimeLimitIsTold() throws {
        let fixture = try Fixture(.init(settings: "prompt-timeout = 15"))
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        #expect(try client.receive(TestClient.Step.self).name == .authenticationTimedOut)
        #expect(eventually { fixture.broker.refusals == ["timeout"] && fixture.conversations.isEmpty })
    }

    @Test func aDyingBrokerIsNoticedAtThePrompt() throws {
        let fixture = try Fixture()
        var client = try fixture.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        fixture.broker.stop()
        #expect(try client.receive(TestClient.Step.self).name == .brokerUnavailable)
        #expect(eventually { fixture.conversations.isEmpty })
    }

    @Test func noBrokerIsSaid() throws {
        let fixture = try Fixture()
        fixture.broker.stop()
        try FileManager.default.removeItem(atPath: fixture.broker.path)
        var client = try fixture.client()
        #expect(try client.begin().name == .brokerUnavailable)
    }

    @Test func stoppingTheServerEndsEverything() throws {
        let fixture = try Fixture(.init(pam: Self.hanging, prepare: Self.hang))
        var client = try fixture.client()
        _ = try client.begin()
        try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil))))
        #expect(eventually { fixture.helpers.count >= 2 })
        fixture.terminate()
        #expect(fixture.waitForExit())
        #expect(eventually { fixture.helpers.isEmpty })
        #expect(!FileManager.default.fileExists(atPath: "\(fixture.path)/auth.sock"))
        #expect(try client.receive(TestClient.Step.self).fault != nil)
    }
}
