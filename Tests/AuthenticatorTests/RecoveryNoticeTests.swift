import BrokerProtocol
import Foundation
import Testing

/// A recovery code allows more than anything else a person is asked. The prompt says so, each time.
@Suite struct RecoveryNoticeTests {
    private func stage() throws -> Fixture {
        let stage = try Fixture(.init(settings: "reuse-limit = 300"))
        stage.broker.change {
            $0.facts.purposes = [.recovery]
            $0.facts.service = nil
            $0.facts.account = nil
            $0.facts.authorizations = [.init(kind: "recovery")]
        }
        return stage
    }

    @Test func itSaysWhatTheCodeAllows() throws {
        let stage = try stage()
        var client = try stage.client()
        let first = try #require(try client.begin().message)
        #expect(first.text.hasPrefix("Make a new recovery code\nfor "), "\(first.text)")
        #expect(first.text.unbroken.contains("on any machine and without you"), "\(first.text)")
    }

    @Test func onlyTheRightAnswerIsSignedFor() throws {
        let stage = try stage()
        var wrong = try stage.client()
        #expect(try wrong.authenticate("wrong").name == .authenticationFailed)
        #expect(!stage.broker.calls.contains("Prepare"))
        var client = try stage.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(stage.broker.completions.map(\.authorization) == [0])
    }
}
