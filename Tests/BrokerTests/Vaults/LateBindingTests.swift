import BrokerProtocol
import Foundation
import Platform
import Synchronization
import TPM
import TestSupport
import Testing
import Varlink
import Vault

/// A vault is bound to a password, and the person locks it before the TPM is done.
@Suite(.timeLimit(.minutes(30)))
struct LateBindingTests {
    /// Does something once, as soon as the TPM has made an index.
    private final class Interruption: CommandObserver {
        private let body = Mutex<(@Sendable () -> Void)?>(nil)

        /// Whether it is still to be done.
        var isAhead: Bool { body.withLock { $0 != nil } }

        func prepare(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

        func commandEnded(_ command: [UInt8], answer: [UInt8]?) {
            let code = command[6..<10].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard code == CommandCode.nvDefineSpace.rawValue else { return }
            let body = self.body.withLock { present in
                defer { present = nil }
                return present
            }
            body?()
        }
    }

    /// Locks the vault, and waits for the answer on this thread.
    private static func lock(_ path: String) throws {
        var socket = try UnixSocket(connectingTo: path)
        try socket.send(Varlink.encode(VarlinkCall(Keychain.Lock())))
        _ = try socket.receiveMessage(limit: 1 << 16, until: .now + patience)
    }

    private func indexes(_ tpm: SWTPM) throws -> String {
        try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"])
    }

    @Test("a binding whose challenge ends while the TPM makes its index leaves neither that index nor a trace")
    func locked() async throws {
        let (tpm, interruption) = (try SWTPM(), Interruption())
        let broker = try await ThrowAwayBroker(configure: { $0.sealer = .tpm }) { _ in
            TPMSealer(TPMAccess.patient(tpm.configuration, observer: interruption))
        }
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        _ = try await client.call(Keychain.Lock())
        let before = try indexes(tpm)
        let bind = try await challenge { try await client.call(Keychain.Unlock(bind: true)) }
        let binder = try await broker.authenticator.described(bind)
        try await broker.authenticator.release(bind, pin: nil, reseals: true, over: binder)
        let path = broker.configuration.socket
        interruption.prepare {
            // `try?`: without the lock, the next call is not refused.
            try? Self.lock(path)
        }
        let pin = Data([UInt8](repeating: 5, count: 32)).base64EncodedString()
        let late = try await fault { try await binder.call(BrokerInterface.Reseal(challenge: bind, pin: pin)) }
        #expect(late.name == .brokerChallengeRefused, "\(late)")
        #expect(!interruption.isAhead)
        #expect(try indexes(tpm) == before)
        // It opens with what it had.
        try await broker.makeVault(client)
        #expect(try await client.call(Keychain.List()).items.count == 1)
        #expect(try tpm.leftovers() == [])
        await broker.stop()
    }
}
