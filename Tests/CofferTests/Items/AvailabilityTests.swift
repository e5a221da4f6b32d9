import BrokerProtocol
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient
@testable import CofferTestKit

/// What an application sees that starts on any machine.
@Suite(.timeLimit(.minutes(30)))
struct AvailabilityTests {
    private func availability(of backend: any KeychainBackend, group: String? = nil) async -> String {
        switch await Coffer.Keychain(service: "s", group: group, backend: backend).availability() {
        case .available(let status): "available, \(status.state)"
        case .noBroker(let error): "no broker, \(error.code.rawValue)"
        case .silent(let error): "silent, \(error.code.rawValue)"
        case .refused(let error): "refused, \(error.code.rawValue)"
        }
    }

    @Test("a broker that is not there, one that is silent, and one that refuses")
    func brokers() async throws {
        let folder = try TemporaryFolder()
        func paths(_ name: String) -> SocketPaths {
            SocketPaths(broker: folder.path + "/" + name, authenticator: folder.path + "/authenticator")
        }
        #expect(await availability(of: BrokerBackend(paths: paths("nobody"))) == "no broker, broker-unreachable")
        let silent = try FakeServer(path: paths("silent").broker, ["Status": [.silence]])
        #expect(await availability(of: BrokerBackend(paths: paths("silent"))) == "silent, broker-silent")
        #expect(silent.calls("Status").count == 1)
        let refusing = try FakeServer(
            path: paths("refusing").broker, ["Status": [.fault(.damaged, "the store is damaged")]])
        // On a machine that is slow now, the answer may come after the two seconds that are waited for it.
        var said = ""
        for _ in 0..<20 where said.isEmpty || said == "silent, broker-silent" {
            said = await availability(of: BrokerBackend(paths: paths("refusing")))
        }
        #expect(said == "refused, damaged")
        #expect(!refusing.calls("Status").isEmpty)
    }

    @Test("a vault that is locked or not made yet is available, and nobody is asked")
    func states() async throws {
        for state in VaultStatus.State.allCases {
            let memory = InMemoryKeychain(state: state)
            #expect(await availability(of: memory) == "available, \(state)")
            #expect(await availability(of: memory, group: "strangers") == "refused, not-found")
            #expect(memory.shownMessages.isEmpty)
        }
    }
}
