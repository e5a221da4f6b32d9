import BrokerProtocol
import Foundation
import Item
import TestSupport
import Varlink

/// A fake broker and a fake authenticator in a folder, and a `coffer` that uses them.
struct FakeCoffer {
    let scratch: Scratch
    let broker: FakeServer
    let authenticator: FakeServer
    var program: Program

    init(
        broker brokerScript: [String: [FakeServer.Step]] = [:],
        authenticator authenticatorScript: [String: [FakeServer.Step]] = [:]
    ) throws {
        scratch = try Scratch()
        broker = try FakeServer(path: scratch.file("coffer.sock"), brokerScript)
        authenticator = try FakeServer(path: scratch.file("auth.sock"), authenticatorScript)
        program = Program(environment: ["COFFER_SOCKET": scratch.file("coffer.sock")], scratch: scratch)
    }

    static func item(
        _ service: String = "github", _ account: String = "me", require: [AccessControl.Requirement] = [],
        modified: Int64 = 1_700_000_000_000, kind: ItemKind = .genericPassword
    ) -> Keychain.Item {
        Keychain.Item(
            id: "00112233-4455-6677-8899-aabbccddeeff", service: service, account: account, kind: kind, label: nil,
            comment: nil, attributes: [:],
            access: require.reduce(.whenUnlocked) { $0.requiring($1) }, created: modified, modified: modified,
            expires: nil, version: 1)
    }

    static var absent: FakeServer.Step {
        .fault(.notFound, .init(message: "github/me is not in the vault", advice: "list your items with: coffer list"))
    }

    static func stored(replaced: Int64? = nil) -> FakeServer.Step {
        .answer(Keychain.Set.Reply(item: item(), replaced: replaced))
    }

    static func value(_ bytes: [UInt8], _ item: Keychain.Item = item()) -> FakeServer.Step {
        .answer(Keychain.Get.Reply(value: Data(bytes).base64EncodedString(), item: item))
    }

    static func personNeeded(_ purposes: [Keychain.Purpose] = [.read]) -> FakeServer.Step {
        .fault(.authenticationRequired, .init(challenge: "c1", purposes: purposes.map(\.rawValue)))
    }

    /// Asks for a password once.
    static var asksPassword: [String: [FakeServer.Step]] {
        [
            "Begin": [
                .answer(Authentication.Step(message: .init(style: .secret, text: "Password: "), done: false, step: 1))
            ],
            "Continue": [.answer(Authentication.Step(message: nil, done: true))],
            "Cancel": [.answer(Nothing())],
        ]
    }
}
