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
        let stage = try Fixture()
        do {
            var client = try stage.client()
            _ = try client.begin()
            #expect(try client.go().message?.style == .secret)
            #expect(stage.conversations.count == 1)
        }
        #expect(eventually { stage.conversations.isEmpty })
        #expect(eventually { stage.broker.refusals == ["cancelled"] })
        #expect(eventually { stage.log.contains("client gone") })
    }

    @Test func aClientThatGoesTakesAHangingModuleAlong() throws {
        let stage = try Fixture(.init(pam: Self.hanging, prepare: Self.hang))
        do {
            var client = try stage.client()
            _ = try client.begin()
            try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil))))
            #expect(eventually { stage.helpers.count >= 2 })
        }
        #expect(eventually { stage.conversations.isEmpty && stage.helpers.isEmpty })
    }

    @Test func cancellingIsAnswered() throws {
        let stage = try Fixture()
        var client = try stage.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        #expect(try client.cancel() == .success(Nothing()))
        #expect(try client.seesEnd())
        #expect(eventually { stage.broker.refusals == ["cancelled"] && stage.conversations.isEmpty })
    }

    @Test func cancellingAHangingModuleAnswersBothCalls() throws {
        let stage = try Fixture(.init(pam: Self.hanging, prepare: Self.hang))
        var client = try stage.client()
        _ = try client.begin()
        try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil))))
        #expect(eventually { stage.helpers.count >= 2 })
        try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Cancel())))
        #expect(try client.receive(TestClient.Step.self).name == .authenticationCancelled)
        #expect(try client.receive(Nothing.self) == .success(Nothing()))
        #expect(eventually { stage.conversations.isEmpty && stage.helpers.isEmpty })
    }

    @Test func theTimeLimitIsTold() throws {
        let stage = try Fixture(.init(settings: "prompt-timeout = 15"))
        var client = try stage.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        #expect(try client.receive(TestClient.Step.self).name == .authenticationTimedOut)
        #expect(eventually { stage.broker.refusals == ["timeout"] && stage.conversations.isEmpty })
    }

    @Test func aDyingBrokerIsNoticedAtThePrompt() throws {
        let stage = try Fixture()
        var client = try stage.client()
        _ = try client.begin()
        #expect(try client.go().message?.style == .secret)
        stage.broker.stop()
        #expect(try client.receive(TestClient.Step.self).name == .brokerUnavailable)
        #expect(eventually { stage.conversations.isEmpty })
    }

    @Test func noBrokerIsSaid() throws {
        let stage = try Fixture()
        stage.broker.stop()
        try FileManager.default.removeItem(atPath: stage.broker.path)
        var client = try stage.client()
        #expect(try client.begin().name == .brokerUnavailable)
    }

    @Test func stoppingTheServerEndsEverything() throws {
        let stage = try Fixture(.init(pam: Self.hanging, prepare: Self.hang))
        var client = try stage.client()
        _ = try client.begin()
        try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil))))
        #expect(eventually { stage.helpers.count >= 2 })
        stage.terminate()
        #expect(stage.waitForExit())
        #expect(eventually { stage.helpers.isEmpty })
        #expect(!FileManager.default.fileExists(atPath: "\(stage.path)/auth.sock"))
        #expect(try client.receive(TestClient.Step.self).fault != nil)
    }
}
