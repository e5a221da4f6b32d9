import BrokerProtocol
import Foundation
import TestSupport
import Testing

@testable import Authenticator

/// Prompts for giving guarded items to other machines: the person sees each item and each machine.
@Suite struct ReleaseTests {
    private static func release(
        _ facts: inout BrokerInterface.Describe.Reply, _ accounts: [String] = ["me"],
        to machines: [String]? = ["laptop"]
    ) {
        facts.purposes = [.releaseToCircle]
        (facts.service, facts.account) = (nil, nil)
        facts.items = accounts.map { .init(service: "bank", account: $0) }
        facts.machines = machines
        facts.authorizations = accounts.map { .init(kind: "presence", point: Data($0.utf8).base64EncodedString()) }
        facts.alternatives = [Array(0..<Int64(accounts.count))]
    }

    private func notice(_ change: @Sendable (inout BrokerInterface.Describe.Reply) -> Void) throws -> String {
        let fixture = try Fixture()
        fixture.broker.change { script in change(&script.facts) }
        var client = try fixture.client()
        return try client.begin().message?.text ?? ""
    }

    private func isRefused(_ change: (inout BrokerInterface.Describe.Reply) -> Void) -> Bool {
        var facts = BrokerInterface.Describe.Reply(
            owner: "user:0", purposes: [.releaseToCircle], authorizations: [], alternatives: [[]])
        Self.release(&facts)
        change(&facts)
        do throws(ConversationError) {
            _ = try PersonRequest(facts)
            return false
        } catch { return true }
    }

    @Test func eachItemAndEachMachineIsShown() throws {
        let one = try notice { Self.release(&$0) }
        #expect(one.contains("Release \"bank\" / \"me\" to your other machines"), "\(one)")
        #expect(one.contains("To: \"laptop\"") && one.contains("They can then read this"), "\(one)")
        #expect(one.split(separator: "\n").first == "Release \"bank\" / \"me\" to your other machines", "\(one)")
        let several = try notice { Self.release(&$0, ["me", "you"], to: ["laptop", "phone"]) }
        for text in ["Release these 2 items", "\"me\"", "\"you\"", "\"laptop\", \"phone\""] {
            #expect(several.contains(text), "\(several)")
        }
    }

    @Test func theSignaturesOfTheItemsAreGivenOnce() throws {
        let fixture = try Fixture()
        fixture.broker.change { script in Self.release(&script.facts, ["me", "you"]) }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).isDone)
        #expect(fixture.broker.completions.count == 2)
        var wrong = try fixture.client()
        #expect(try wrong.authenticate("wrong").name == .authenticationFailed)
        #expect(fixture.broker.completions.count == 2)
    }

    @Test func eachMachineIsShown() {
        #expect(!isRefused { _ in })
        #expect(!isRefused { $0.machines = (0..<16).map { "machine\($0)" } })
        for machines in [nil, [], [""], ["laptop", "a b"], (0...16).map { "machine\($0)" }] as [[String]?] {
            #expect(isRefused { $0.machines = machines }, "\(machines ?? [])")
        }
    }

    @Test func nothingElseStandsBesideIt() {
        #expect(isRefused { $0.statement = "AA==" })
        #expect(isRefused { $0.signer = "AA==" })
        #expect(isRefused { $0.request = "AA==" })
        #expect(isRefused { $0.circle = "00" })
        #expect(isRefused { $0.items = [] })
        #expect(isRefused { $0.purposes = [.releaseToCircle, .unlock] })
        #expect(isRefused { $0.lease = .init(seconds: 60) })
    }
}
