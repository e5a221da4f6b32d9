import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferTestKit

/// Every kind of error is produced: by the real broker and authenticator where a test can bring it about, otherwise by a server that speaks their protocol.
/// A new code needs a new row.
@Suite(.timeLimit(.minutes(30)))
struct ErrorCodeTests {
    /// How a code comes about.
    enum Origin: Sendable {
        case real(@Sendable (RealStage) async throws(KeychainError) -> Void)
        /// What PAM's modules say: a line before those of the sandbox, whose module accepts the right password.
        case pam(String)
        /// An error of the broker's, on the wire.
        case broker(Fault.Name, kind: String? = nil)
        /// An error of the authenticator's, on the wire.
        case authenticator(Fault.Name, reason: String? = nil)
        /// A broker that takes the call and says nothing.
        case silence
        /// An authenticator that another user serves.
        case foreign
    }

    /// No `default`: a new code does not compile before it has a row.
    static func origin(of code: KeychainError.Code) -> Origin {
        switch code {
        case .notFound: .real { (stage) throws(KeychainError) in _ = try await stage.keychain.bytes(for: "absent") }
        case .alreadyExists:
            .real { (stage) throws(KeychainError) in
                for _ in 0..<2 { try await stage.keychain.set("x", for: "twice", if: .isAbsent) }
            }
        case .changedMeanwhile: .broker(Fault.Name(rawValue: "org.coffer.Keychain.Changed"))
        case .locked:
            .real { (stage) throws(KeychainError) in
                try await stage.keychain.set("x", for: "me")
                try await stage.keychain.lock()
                let request = ReadRequest(prompts: .never, mayUnlock: false)
                _ = try await stage.backend.read([stage.keychain.name("me")], request, in: .own)
            }
        case .notText, .notDecodable:
            .real { (stage) throws(KeychainError) in
                try await stage.keychain.set([0xFF], for: "me")
                if code == .notText { _ = try await stage.keychain.string(for: "me") }
                _ = try await stage.keychain.value(Int.self, for: "me")
            }
        case .authenticationNeeded: .real { (stage) throws(KeychainError) in try await stage.readGated(.never) }
        case .wrongPassword: .real { (stage) throws(KeychainError) in try await stage.readGated(.wrong) }
        case .cancelled: .real { (stage) throws(KeychainError) in try await stage.readGated(.givingUp) }
        case .requestOutdated:
            .real { (stage) throws(KeychainError) in
                let keychain = stage.keychain
                try await stage.readGated(
                    .handler { message in
                        guard message.wantsAnswer else { return nil }
                        try await keychain.set("y", for: "gated")
                        return "sandbox"
                    })
            }
        case .applicationPasswordNeeded, .applicationPasswordRefused:
            .real { (stage) throws(KeychainError) in
                try await stage.keychain.set(
                    "x", for: "me", access: .whenUnlocked.requiring(.applicationPassword), applicationPassword: "p")
                let given = code == .applicationPasswordRefused ? "q" : nil
                _ = try await stage.keychain.bytes(for: "me", applicationPassword: given)
            }
        case .biometryRefused:
            .real { (stage) throws(KeychainError) in
                try await stage.keychain.set("x", for: "me", access: .whenUnlocked.requiring(.biometryAny))
            }
        case .limitExceeded:
            .real { (stage) throws(KeychainError) in
                try await stage.keychain.set([UInt8](repeating: 1, count: (1 << 20) + 1), for: "me")
            }
        case .invalidArgument:
            .real { (stage) throws(KeychainError) in try await stage.keychain.of(service: "").set("x", for: "me") }
        case .accountDenied: .pam("account required pam_debug.so acct=perm_denied")
        case .accountExpired: .pam("account required pam_debug.so acct=acct_expired")
        case .tooManyTries: .pam("auth required pam_debug.so auth=maxtries")
        case .authenticationMisconfigured: .pam("auth required no-such-module.so")
        case .brokerUnreachable:
            .real { (stage) throws(KeychainError) in
                let backend = BrokerBackend(paths: SocketPaths(broker: stage.folder + "/nobody.sock"))
                _ = try await Coffer.Keychain(service: "x", backend: backend).bytes(for: "me")
            }
        case .authenticatorUnreachable:
            .real { (stage) throws(KeychainError) in
                try await stage.setGated()
                let paths = SocketPaths(broker: stage.sandbox.paths.broker, authenticator: stage.folder + "/nobody")
                let backend = BrokerBackend(paths: paths)
                _ = try await Coffer.Keychain(service: "errors", prompts: .right, backend: backend).bytes(for: "gated")
            }
        case .ambiguous: .broker(.ambiguous)
        case .notPermitted: .broker(.notPermitted)
        case .damaged: .broker(.damaged)
        case .failed: .broker(.failed)
        case .protocolViolation: .broker(Fault.Name(rawValue: "org.coffer.Keychain.NotYetKnown"))
        case .boundPassword: .authenticator(.authenticationFailed, reason: "bound-password")
        case .timedOut: .authenticator(.authenticationTimedOut)
        case .authenticatorUntrusted: .foreign
        case .brokerSilent: .silence
        case .tpmUnavailable: .broker(.tpm, kind: "unavailable")
        case .tpmReplaced: .broker(.tpm, kind: "replaced")
        case .tpmLockout: .broker(.tpm, kind: "lockout")
        case .tpmRefused: .broker(.tpm, kind: "refused")
        case .tpmExhausted: .broker(.tpm, kind: "exhausted")
        case .tpmDeadline: .broker(.tpm, kind: "deadline")
        case .tpmTriesUsedUp: .broker(.tpm, kind: "tries-used-up")
        case .tpmPasswordIndexGone: .broker(.tpm, kind: "pin-index")
        case .tpmBootNotApproved: .broker(.tpm, kind: "boot")
        case .tpmBootIndexGone: .broker(.tpm, kind: "boot-index")
        case .tpmUnsupported: .broker(.tpm, kind: "unsupported")
        case .tpmOther: .broker(.tpm, kind: "something new")
        }
    }
    @Test("every kind of error comes about", arguments: KeychainError.Code.allCases)
    func comesAbout(_ code: KeychainError.Code) async throws {
        switch Self.origin(of: code) {
        case .real(let body):
            let stage = try await RealStage()
            await refused(code) { () throws(KeychainError) in try await body(stage) }
            await stage.end()
        case .pam(let line):
            let stage = try await RealStage()
            try stage.putPAM(line)
            await refused(code) { () throws(KeychainError) in try await stage.readGated(.right) }
            await stage.end()
        case .broker(let name, let kind):
            let fault = FakeServer.Step.fault(name, Fault.Details(message: "m", accounts: ["a"], kind: kind, code: 7))
            let stage = try FakeStage(broker: [fault])
            await refused(code) { () throws(KeychainError) in try await stage.read() }
        case .authenticator(let name, let reason):
            let challenge = Fault.Details(challenge: "c", purposes: ["read"])
            let stage = try FakeStage(
                broker: [.fault(.authenticationRequired, challenge)],
                authenticator: [.fault(name, Fault.Details(message: "m", reason: reason))])
            await refused(code) { () throws(KeychainError) in try await stage.read() }
        case .silence:
            let stage = try FakeStage(broker: [.silence], patience: .milliseconds(50))
            await refused(code) { () throws(KeychainError) in try await stage.read() }
        case .foreign:
            guard ProcessSurroundings.effectiveUser == 0 else { return }
            let stage = try await RealStage()
            let foreigner = try ForeignAuthenticator()
            let paths = SocketPaths(broker: stage.sandbox.paths.broker, authenticator: foreigner.path)
            let keychain = Coffer.Keychain(service: "errors", prompts: .right, backend: BrokerBackend(paths: paths))
            try await stage.setGated()
            await refused(code) { () throws(KeychainError) in try await keychain.bytes(for: "gated") }
            await stage.end()
        }
    }
}
