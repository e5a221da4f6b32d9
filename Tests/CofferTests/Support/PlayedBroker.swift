import BrokerProtocol
import Platform
import TestSupport
import Varlink

@testable import Coffer
@testable import CofferClient

/// A broker and an authenticator that give a test's answers, and the library that asks them.
final class PlayedBroker: Sendable {
    private let folder: TemporaryFolder
    let paths: SocketPaths
    let server: FakeServer
    let authenticator: FakeServer
    let backend: BrokerBackend

    init(_ script: [String: [FakeServer.Step]], authenticator: [String: [FakeServer.Step]] = [:]) throws {
        folder = try TemporaryFolder()
        paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        server = try FakeServer(
            path: paths.broker, script.merging(["Withdraw": [.answer(Nothing())]]) { one, _ in one })
        self.authenticator = try FakeServer(path: paths.authenticator, authenticator)
        backend = BrokerBackend(paths: paths, patience: patience)
    }

    func keychain(_ prompts: Prompts = .never) -> Coffer.Keychain {
        Coffer.Keychain(service: "s", prompts: prompts, backend: backend)
    }

    /// An item as the wire has it.
    static func item(_ account: String = "me", service: String = "s") -> Wire.Item {
        Wire.Item(
            id: "id of \(account)", service: service, account: account, attributes: [:], access: .whenUnlocked,
            created: 1000, modified: 2000, version: 1, revision: "r1")
    }

    /// A person is needed for this.
    static func need(_ purposes: [Wire.Purpose]) -> FakeServer.Step {
        .fault(.authenticationRequired, Fault.Details(challenge: "c1", purposes: purposes.map(\.rawValue)))
    }
}
