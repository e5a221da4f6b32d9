import BrokerProtocol
import Foundation
import Testing

/// A recovery code allows more than anything else a person is asked. The prompt says so, each time.
@Suite struct RecoveryNoticeTests {
    private func fixture() throws -> Fixture {
        let fixture = try Fixture(.init(settings: "reuse-limit = 300"))
        fixture.broker.change {
            $0.facts.purposes = [.recovery]
            $0.facts.service = nil
            $0.facts.account = nil
            $0.facts.authorizations = [.init(kind: "recovery")]
        }
        return fixture
    }

    @Test func itSaysWhatTheCodeAllows() throws {
        let fixture = try fixture()
        var client = try fixture.client()
        let first = try #require(try client.begin().message)
        #expect(first.text.hasPrefix("Make a new recovery code\nfor "), "\(first.text)")
        #expect(first.text.unbroken.contains("on any machine and without you"), "\(first.text)")
    }

    @Test func onlyTheRightAnswerIsSignedFor() throws {
        let fixture = try fixture()
        var wrong = try fixture.client()
        #expect(try wrong.authenticate("wrong").name == .authenticationFailed)
        #expect(!fixture.broker.calls.contains("Prepare"))
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(fixture.broker.completions.map(\.authorization) == [0])
    }
}
