import BrokerProtocol
import Foundation
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient
@testable import coffer_cli

/// A broker that is silent does not keep its callers waiting for ever.
@Suite struct DeadlineTests {
    @Test func aSilentBrokerIsGivenUp() throws {
        let scratch = try Scratch()
        let path = scratch.file("coffer.sock")
        let server = try FakeServer(path: path, ["Status": [.silence]])
        let error = #expect(throws: KeychainError.self) {
            _ = try BrokerClient(path: path, patience: .milliseconds(50)).call(Keychain.Status())
        }
        #expect(error?.code == .brokerSilent)
        #expect(server.calls("Status").count == 1)
        #expect(ExitStatus(.brokerSilent) == .unreachable)
    }

    /// A large circle takes a slow machine more than the usual time. What only asks for its state is not waited for.
    @Test func aCallThatCarriesChangesIsWaitedForLonger() throws {
        let scratch = try Scratch()
        let path = scratch.file("coffer.sock")
        let reply = Sync.Give.Reply(files: [], more: false)
        let late = FakeServer.Step.parts([FakeServer.encode(VarlinkReply(reply))]) { _, _ in
            Thread.sleep(forTimeInterval: 1)
        }
        try withExtendedLifetime(FakeServer(path: path, ["Give": [late], "State": [.silence]])) {
            let client = BrokerClient(path: path, patience: .milliseconds(50))
            _ = try client.call(Sync.Give(heads: [], names: []))
            #expect { try client.call(Sync.State()) } throws: { ($0 as? KeychainError)?.code == .brokerSilent }
        }
    }

    /// Every kind of failure has a status that is not success, and an Apple status.
    @Test(arguments: KeychainError.Code.allCases)
    func everyFailureHasAStatus(code: KeychainError.Code) {
        #expect(ExitStatus(code) != .done)
        #expect(KeychainError(code, "").appleStatus != 0)
    }
}
