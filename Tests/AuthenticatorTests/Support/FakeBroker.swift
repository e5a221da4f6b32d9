import Authorization
import BrokerProtocol
import Foundation
import Platform
import Synchronization
import TestSupport
import Varlink

/// Speaks the broker's side of the private protocol. It is honest by default, and can be any attacker that a test
/// wants.
final class FakeBroker: Sendable {
    struct Script: Sendable {
        var facts: BrokerInterface.Describe.Reply
        var nonce = [UInt8](repeating: 0x11, count: 32)
        var parameterHash = [UInt8](repeating: 0x22, count: 32)
        var record: RegistryRecord?
        /// What a reported login may open; nil for no vault.
        var reported: BrokerInterface.Report.Reply?
        var adopted = [BrokerInterface.Authorization(kind: "unlock")]
        /// What else the process waits for.
        var companions: [BrokerInterface.Companion] = []
        /// The Name of the key for enrolled fingers.
        var keyName: [UInt8] = []
        /// The unlock root that a vault was sealed anew with.
        var resealed: BrokerInterface.Reseal.Reply?
        /// What a vault was tied to the boot with.
        var tied: BrokerInterface.ResealForBoot.Reply?
        /// A renewed vault's record; nil if items are left.
        var successor: RegistryRecord?
        /// What a circle is told of a renewal, in order. Each is signed once.
        var succession: [BrokerInterface.PrepareSuccession<RegistryRecord>.Reply] = []
        /// Answers to the next signatures, in order, before any is accepted.
        var refusedCompletions: [[UInt8]] = []
        /// Bytes sent instead of the answer to a method, by its last name.
        var raw: [String: [UInt8]] = [:]
        /// Methods that are never answered.
        var silent: Set<String> = []
        /// Run before a method is answered.
        var before: [String: @Sendable () -> Void] = [:]
    }

    private struct State {
        var script: Script
        var calls: [String] = []
        var describes: [BrokerInterface.Describe] = []
        var completions: [BrokerInterface.Complete] = []
        var reseals: [BrokerInterface.Reseal] = []
        var renewals: [BrokerInterface.Renew] = []
        var successions: [BrokerInterface.CompleteSuccession] = []
        var heard: [UInt8] = []
        var refusals: [String] = []
        var reports: [BrokerInterface.Report] = []
        var connections: [Int32] = []
        var stopped = false
    }

    private let state: Mutex<State>
    let path: String

    init(path: String, script: Script) throws {
        self.path = path
        state = Mutex(State(script: script))
        let number = try UnixListener(path: path, mode: 0o600).release()
        state.withLock { $0.connections.append(number) }
        Thread { [self] in
            let listener = UnixListener(adopting: Descriptor(adopting: number))
            // Ends when the listening socket is shut down.
            while let connection = try? listener.accept() {
                let number = connection.release()
                state.withLock { state in
                    if state.stopped { shutdown(number, Int32(SHUT_RDWR)) } else { state.connections.append(number) }
                }
                Thread { [self] in serve(UnixSocket(adopting: Descriptor(adopting: number)), number) }.start()
            }
            state.withLock { $0.connections.removeAll { $0 == number } }
        }.start()
    }

    var calls: [String] { state.withLock { $0.calls } }
    var describes: [BrokerInterface.Describe] { state.withLock { $0.describes } }
    var completions: [BrokerInterface.Complete] { state.withLock { $0.completions } }
    var reseals: [BrokerInterface.Reseal] { state.withLock { $0.reseals } }
    var renewals: [BrokerInterface.Renew] { state.withLock { $0.renewals } }
    var successions: [BrokerInterface.CompleteSuccession] { state.withLock { $0.successions } }
    /// Whether any request contained this text.
    func heard(_ text: String) -> Bool { state.withLock { Data($0.heard).range(of: Data(text.utf8)) != nil } }
    /// The uids whose logins were reported.
    var reports: [Int64] { state.withLock { $0.reports.map(\.uid) } }
    /// The uids among them that came from a program that unlocks screens.
    var screens: [Bool] { state.withLock { $0.reports.map(\.unlocksScreens) } }
    var refusals: [String] { state.withLock { $0.refusals } }
    func change(_ body: (inout Script) -> Void) { state.withLock { body(&$0.script) } }

    /// Dies: all connections end, and nobody listens.
    func stop() {
        // Under the lock, and once. Outside of it the number may be closed already and belong to another test's socket.
        state.withLock { state in
            state.stopped = true
            for number in state.connections { shutdown(number, Int32(SHUT_RDWR)) }
            state.connections = []
        }
    }

    private func serve(_ connection: consuming UnixSocket, _ number: Int32) {
        // Any end of the connection ends its service.
        while let bytes = (try? connection.receiveMessage(limit: 1 << 20, until: .now + patience)) ?? nil {
            guard let answer = try? answer(bytes) else { break }
            guard !answer.isEmpty else { continue }
            // A conversation that has ended takes no answer.
            try? connection.send(answer, until: .now + patience)
        }
        state.withLock { $0.connections.removeAll { $0 == number } }
        // It is forgotten before it is closed, because its number may belong to another test's socket a moment later.
        connection.shutDown()
    }

    private func answer(_ bytes: [UInt8]) throws -> [UInt8] {
        let call = try IncomingCall(bytes, served: ServedMethods([]))
        let name = String(call.method.split(separator: ".").last ?? "")
        let script = state.withLock { state in
            state.calls.append(name)
            state.heard += bytes
            return state.script
        }
        script.before[name]?()
        switch name {
        case "Describe":
            let call = try Varlink.decode(VarlinkCall<BrokerInterface.Describe>.self, from: bytes).parameters
            state.withLock { $0.describes.append(call) }
        case "Complete":
            let call = try Varlink.decode(VarlinkCall<BrokerInterface.Complete>.self, from: bytes).parameters
            let refusal: [UInt8]? = state.withLock { state in
                state.completions.append(call)
                return state.script.refusedCompletions.isEmpty ? nil : state.script.refusedCompletions.removeFirst()
            }
            if let refusal { return refusal }
        case "Reseal":
            let call = try Varlink.decode(VarlinkCall<BrokerInterface.Reseal>.self, from: bytes).parameters
            state.withLock { $0.reseals.append(call) }
        case "Renew":
            let call = try Varlink.decode(VarlinkCall<BrokerInterface.Renew>.self, from: bytes).parameters
            state.withLock { $0.renewals.append(call) }
        case "CompleteSuccession":
            let call = try Varlink.decode(VarlinkCall<BrokerInterface.CompleteSuccession>.self, from: bytes).parameters
            state.withLock { state in
                state.successions.append(call)
                state.script.succession.removeFirst()
            }
        case "Refuse":
            let call = try Varlink.decode(VarlinkCall<BrokerInterface.Refuse>.self, from: bytes).parameters
            state.withLock { $0.refusals.append(call.reason) }
        case "Report":
            let call = try Varlink.decode(VarlinkCall<BrokerInterface.Report>.self, from: bytes).parameters
            state.withLock { $0.reports.append(call) }
        default: break
        }
        if script.silent.contains(name) { return [] }
        if let raw = script.raw[name] { return raw }
        switch name {
        case "Describe": return Varlink.encode(VarlinkReply(script.facts))
        case "Companions":
            return Varlink.encode(VarlinkReply(BrokerInterface.Companions.Reply(companions: script.companions)))
        case "Provision":
            guard let record = script.record else { return Varlink.encode(Fault(.brokerFailed, "no record")) }
            return Varlink.encode(VarlinkReply(BrokerInterface.Provision<RegistryRecord>.Reply(record: record)))
        case "AdoptVault":
            return Varlink.encode(VarlinkReply(BrokerInterface.AdoptVault.Reply(authorizations: script.adopted)))
        case "Reseal":
            guard let resealed = script.resealed else { return Varlink.encode(Fault(.brokerFailed, "no root")) }
            return Varlink.encode(VarlinkReply(resealed))
        case "ResealForBoot":
            guard let tied = script.tied else { return Varlink.encode(Fault(.brokerFailed, "no roots")) }
            return Varlink.encode(VarlinkReply(tied))
        case "Succeed":
            return Varlink.encode(
                VarlinkReply(BrokerInterface.Succeed<RegistryRecord>.Reply(record: script.successor)))
        case "PrepareSuccession":
            return Varlink.encode(
                VarlinkReply(script.succession.first ?? BrokerInterface.PrepareSuccession<RegistryRecord>.Reply()))
        case "ProvideKey":
            let name = Data(script.keyName).base64EncodedString()
            return Varlink.encode(VarlinkReply(BrokerInterface.ProvideKey.Reply(name: name)))
        case "Report":
            let nothing = BrokerInterface.Report.Reply(challenge: nil, vault: nil, authorizations: [])
            return Varlink.encode(VarlinkReply(script.reported ?? nothing))
        case "Prepare":
            return Varlink.encode(
                VarlinkReply(
                    BrokerInterface.Prepare.Reply(
                        nonce: Data(script.nonce).base64EncodedString(),
                        parameterHash: Data(script.parameterHash).base64EncodedString())))
        default: return Varlink.encode(VarlinkReply(Nothing()))
        }
    }
}
