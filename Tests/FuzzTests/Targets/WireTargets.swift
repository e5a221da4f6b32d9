import BrokerProtocol
import Foundation
import Item
import JSON
import Platform
import RootConfiguration
import TestSupport
import Varlink

@testable import Authenticator
@testable import Broker
@testable import Vault

/// Calls as clients and authenticators send them.
enum WireSamples {
    static func calls() throws -> [(bytes: [UInt8], method: any VarlinkMethod.Type)] {
        var calls: [(bytes: [UInt8], method: any VarlinkMethod.Type)] = []
        func add<Method: VarlinkMethod>(_ method: Method) throws {
            calls.append((Varlink.encode(VarlinkCall(method)).dropLast(), Keychain.InVault<Method>.self))
        }
        let access = AccessControl.whenUnlocked.requiringAny(of: .userPresence, .devicePasscode)
        let value = Data("value".utf8).base64EncodedString()
        try add(
            Keychain.Set(
                service: "s", account: "b", value: value, access: access, label: "l", comment: "c",
                attributes: ["k": "v"], expires: 1_900_000_000_000, mode: .replace, challenge: "c"))
        try add(Keychain.Set(service: "s", account: "a", value: value))
        try add(
            Keychain.Apply(changes: [
                Keychain.Change(
                    action: .set, service: "s", account: "b", kind: .key, value: value,
                    access: Keychain.AccessChange(access), label: "l", attributes: ["k": "v"], expires: 0, mode: .new,
                    ifRevision: String(repeating: "0a", count: 16), applicationPassword: value),
                Keychain.Change(action: .set, service: "s", account: "b", value: value),
                Keychain.Change(action: .delete, service: "s", account: "a"),
                Keychain.Change(action: .deleteService, service: "s"),
            ]))
        try add(Keychain.Get(service: "s", account: "a", reason: "why", unlock: false, challenge: "c"))
        try add(Keychain.Exists(service: "s", account: "a"))
        try add(Keychain.Show(service: "s", account: "a"))
        try add(Keychain.List(service: "s"))
        try add(Keychain.Monitor(service: "s"))
        try add(Keychain.List(service: "s", kind: .genericPassword))
        try add(Keychain.Delete(service: "s", account: "a", kind: .file, ifRevision: "0"))
        try add(Keychain.Search(text: "s", attributes: ["k": "v"]))
        try add(
            Keychain.Edit(
                service: "s", account: "b", access: access, label: "x", attributes: ["k": ""],
                expires: 1_900_000_000_000))
        try add(Keychain.Rename(service: "s", account: "b", newService: "s", newAccount: "c"))
        try add(Keychain.Unlock(challenge: "c", bind: false))
        try add(Keychain.Status())
        try add(Keychain.Log(since: 1, after: 0))
        try add(Keychain.VerifyLog())
        try add(Keychain.GetAll(items: [.init(service: "s", account: "a"), .init(service: "s")], challenge: "c"))
        try add(Keychain.RotateAll(applicationPasswords: [.init(item: "i", password: value)], challenge: "c"))
        try add(Keychain.TieToBoot(registers: [4, 7]))
        try add(
            Keychain.ApproveBoot(
                replacements: [[Keychain.Replacement(old: value, new: value)]],
                values: [Keychain.RegisterValue(register: 4, value: value)]))
        try add(Keychain.ConfirmRecoveryCode(characters: "ABCDE"))
        try add(BrokerInterface.Describe(challenge: "c", uid: 0, pid: 1, startTime: 5, program: "p"))
        try add(BrokerInterface.Prepare(challenge: "c", authorization: 0))
        try add(
            BrokerInterface.Complete(challenge: "c", authorization: 0, signature: value, means: "m", pin: value))
        try add(BrokerInterface.Renew(challenge: "c", authenticatorKey: value, pin: value, salt: value))
        try add(BrokerInterface.Report(uid: 0))
        try add(BrokerInterface.Companions(challenge: "c"))
        try add(BrokerInterface.ProvideKey(challenge: "c", kind: "biometry-current-set", setDigest: value))
        try add(Login.Report(user: "tester"))
        try add(Authentication.Authorize(seconds: 300))
        return calls
    }
}

/// The framer, the check before the parser, and the parser.
struct WireTarget: FuzzTarget {
    private let calls: [(bytes: [UInt8], method: any VarlinkMethod.Type)]
    private let served: ServedMethods
    private let trees: [JSONTree]

    init() async throws {
        calls = try WireSamples.calls()
        served = ServedMethods(calls.map(\.method))
        trees = try calls.map { try JSONTree(parsing: $0.bytes) }
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        let message = mutator.text(trees[mutator.below(calls.count)], donors: trees)
        // In pieces, with others before and after it.
        var framer = MessageFramer()
        var stream = (calls[mutator.below(calls.count)].bytes + [0] + message + [0])[...]
        while !stream.isEmpty {
            let count = 1 + mutator.below(stream.count)
            framer.append(stream.prefix(count))
            stream = stream.dropFirst(count)
            reading: while true {
                switch framer.next(limit: 100_000) {
                case .incomplete: break reading
                case .tooLong: return
                case .message(let found):
                    // What Coffer's own reader takes is JSON to Foundation too.
                    if try answer({ try JSONReader.check(found) }) != nil {
                        _ = try JSONDecoder().decode(Anything.self, from: Data(found))
                    }
                    _ = try answer { try Varlink.decode(VarlinkAnswer<Keychain.Get.Reply>.self, from: found) }
                    try answer {
                        let parameters = try IncomingCall(found, served: served).parameters()
                        if let parameters { try Self.promiseSame(parameters) }
                        guard let set = (parameters as? Keychain.InVault<Keychain.Set>)?.method else { return }
                        _ = try? PartialAccess(set.access).applied(to: nil)  // A contradiction is an answer, too.
                        _ = try WireTime.decode(set.expires)
                        _ = try WireValue.decode(set.value)
                    }
                }
            }
        }
    }
}

extension WireTarget {
    /// Takes any value.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    /// What was read is the same when it is written and read again.
    private static func promiseSame(_ parameters: some VarlinkMethod) throws {
        let bytes = JSONWriter.bytes(of: parameters)
        let again = try JSONReader.read(type(of: parameters), from: bytes)
        try promise(JSONWriter.bytes(of: again) == bytes, "a call is another one when it is written again")
    }
}

/// A whole broker, on both of its sockets.
struct BrokerTarget: FuzzTarget {
    private let broker: ThrowAwayBroker
    private let trees: [JSONTree]
    private let marker = Array(#"{"method":"org.varlink.service.GetInfo"}"#.utf8) + [0]

    init() async throws {
        broker = try await ThrowAwayBroker { SoftwareSealer(directory: $0.vaultDirectory) }
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "kept", account: "kept", value: "a2VwdA=="))
        trees = try WireSamples.calls().map { try JSONTree(parsing: $0.bytes) }
    }

    mutating func tryOne(_ mutator: inout Mutator) async throws {
        let line = mutator.chance(3) ? try broker.authenticator.connect() : try broker.client()
        var bytes: [UInt8] = []
        for _ in 0...mutator.below(3) {
            bytes += mutator.text(trees[mutator.below(trees.count)], donors: trees) + [0]
        }
        // A broker that closes the connection has answered.
        do {
            try await line.send(bytes + marker)
            var answer = ""
            while !answer.contains("interfaces") { answer = String(decoding: try await line.message(), as: UTF8.self) }
        } catch is WireClient.Closed {} catch is SystemError {}
        await line.close()
    }

    func end() async throws {
        let client = try broker.client()
        let get = Keychain.Get(service: "kept", account: "kept")
        let value = try await broker.call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        _ = value
        try promise(try await client.call(get).value == "a2VwdA==", "the kept value is another one")
        await broker.stop()
    }
}
