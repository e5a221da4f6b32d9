import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferCaches
@testable import CofferClient
@testable import CofferSettings
@testable import CofferTestKit

/// Every kind of error is produced: by the real broker and authenticator where a test can bring it about, otherwise by a server that speaks their protocol.
/// A new code needs a new row.
@Suite(.timeLimit(.minutes(30)))
struct ErrorCodeTests {
    /// How a code comes about.
    enum Origin: Sendable {
        case real(@Sendable (RealErrors) async throws(KeychainError) -> Void)
        /// What PAM's modules say: a line before those of the sandbox, whose module accepts the right password.
        case pam(String)
        /// An error of the broker's, on the wire.
        case broker(Fault.Name, kind: String? = nil)
        /// An error of the authenticator's, on the wire.
        case authenticator(Fault.Name, reason: String? = nil, kind: String? = nil)
        /// A change that a broker takes without an answer. Then the task is cancelled.
        case cancelledChange
        /// A broker that takes the call and says nothing.
        case silence
        /// An authenticator that another user serves.
        case foreign
    }

    /// No `default`: a new code does not compile before it has a row.
    static func origin(of code: KeychainError.Code) -> Origin {
        switch code {
        case .notFound: .real { (fixture) throws(KeychainError) in _ = try await fixture.keychain.bytes(for: "absent") }
        case .alreadyExists:
            .real { (fixture) throws(KeychainError) in
                for _ in 0..<2 { try await fixture.keychain.set("x", for: "twice", if: .isAbsent) }
            }
        case .changedMeanwhile: .broker(Fault.Name(rawValue: "org.coffer.Keychain.Changed"))
        case .locked:
            .real { (fixture) throws(KeychainError) in
                try await fixture.keychain.set("x", for: "me")
                try await fixture.keychain.lock()
                let request = ReadRequest(prompts: .never, mayUnlock: false)
                _ = try await fixture.backend.read([fixture.keychain.name("me")], request, in: .own)
            }
        case .notText, .notDecodable:
            .real { (fixture) throws(KeychainError) in
                try await fixture.keychain.set([0xFF], for: "me")
                if code == .notText { _ = try await fixture.keychain.string(for: "me") }
                _ = try await fixture.keychain.value(Int.self, for: "me")
            }
        case .authenticationNeeded: .real { (fixture) throws(KeychainError) in try await fixture.readGated(.never) }
        case .wrongPassword: .real { (fixture) throws(KeychainError) in try await fixture.readGated(.wrong) }
        case .cancelled: .real { (fixture) throws(KeychainError) in try await fixture.readGated(.givingUp) }
        case .requestOutdated:
            .real { (fixture) throws(KeychainError) in
                let keychain = fixture.keychain
                try await fixture.readGated(
                    .handler { message in
                        guard message.wantsAnswer else { return nil }
                        try await keychain.set("y", for: "gated")
                        return "sandbox"
                    })
            }
        case .applicationPasswordNeeded, .applicationPasswordRefused:
            .real { (fixture) throws(KeychainError) in
                try await fixture.keychain.set(
                    "x", for: "me", access: .whenUnlocked.requiring(.applicationPassword), applicationPassword: "p")
                let given = code == .applicationPasswordRefused ? "q" : nil
                _ = try await fixture.keychain.bytes(for: "me", applicationPassword: given)
            }
        case .biometryRefused: .authenticator(.authenticationFailed, reason: "biometry", kind: "not-recognised")
        case .biometryNotEnrolled: .authenticator(.authenticationFailed, reason: "biometry", kind: "not-enrolled")
        case .outcomeUnknown: .cancelledChange
        case .biometryNotAvailable:
            .real { (fixture) throws(KeychainError) in
                try await fixture.keychain.set("x", for: "me", access: .whenUnlocked.requiring(.biometryAny))
            }
        case .limitExceeded:
            .real { (fixture) throws(KeychainError) in
                try await fixture.keychain.set([UInt8](repeating: 1, count: (1 << 20) + 1), for: "me")
            }
        case .invalidArgument:
            .real { (fixture) throws(KeychainError) in try await fixture.keychain.of(service: "").set("x", for: "me") }
        case .accountDenied: .pam("account required pam_debug.so acct=perm_denied")
        case .accountExpired: .pam("account required pam_debug.so acct=acct_expired")
        case .tooManyTries: .pam("auth required pam_debug.so auth=maxtries")
        case .authenticationMisconfigured: .pam("auth required no-such-module.so")
        case .brokerUnreachable:
            .real { (fixture) throws(KeychainError) in
                let backend = BrokerBackend(paths: SocketPaths(broker: fixture.folder + "/nobody.sock"))
                _ = try await Coffer.Keychain(service: "x", backend: backend).bytes(for: "me")
            }
        case .authenticatorUnreachable:
            .real { (fixture) throws(KeychainError) in
                try await fixture.setGated()
                let paths = SocketPaths(broker: fixture.sandbox.paths.broker, authenticator: fixture.folder + "/nobody")
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
            let fixture = try await RealErrors()
            await refused(code) { () throws(KeychainError) in try await body(fixture) }
            await fixture.end()
        case .pam(let line):
            let fixture = try await RealErrors()
            try fixture.putPAM(line)
            await refused(code) { () throws(KeychainError) in try await fixture.readGated(.right) }
            await fixture.end()
        case .broker(let name, let kind):
            let fault = FakeServer.Step.fault(name, Fault.Details(message: "m", accounts: ["a"], kind: kind, code: 7))
            let fixture = try FakeErrors(broker: [fault])
            await refused(code) { () throws(KeychainError) in try await fixture.read() }
        case .cancelledChange: try await cancelledChange()
        case .authenticator(let name, let reason, let kind):
            let challenge = Fault.Details(challenge: "c", purposes: ["read"])
            let fixture = try FakeErrors(
                broker: [.fault(.authenticationRequired, challenge)],
                authenticator: [.fault(name, Fault.Details(message: "m", kind: kind, reason: reason))])
            await refused(code) { () throws(KeychainError) in try await fixture.read() }
        case .silence:
            let fixture = try FakeErrors(broker: [.silence], patience: .milliseconds(50))
            await refused(code) { () throws(KeychainError) in try await fixture.read() }
        case .foreign:
            guard OwnProcess.effectiveUser == 0 else { return }
            let fixture = try await RealErrors()
            let foreigner = try ForeignAuthenticator()
            let paths = SocketPaths(broker: fixture.sandbox.paths.broker, authenticator: foreigner.path)
            let keychain = Coffer.Keychain(service: "errors", prompts: .right, backend: BrokerBackend(paths: paths))
            try await fixture.setGated()
            await refused(code) { () throws(KeychainError) in try await keychain.bytes(for: "gated") }
            await fixture.end()
        }
    }

    private func cancelledChange() async throws {
        let folder = try TemporaryFolder()
        let paths = SocketPaths(broker: folder.path + "/broker", authenticator: folder.path + "/authenticator")
        let server = try FakeServer(path: paths.broker, ["Set": [.silence]])
        let keychain = Coffer.Keychain(
            service: "x", backend: BrokerBackend(paths: paths, patience: .seconds(100_000)))
        let storing = Task { _ = try await keychain.set("x", for: "me") }
        #expect(try await eventually { server.calls("Set").count == 1 })
        storing.cancel()
        await refused(.outcomeUnknown) { () throws(KeychainError) in try await Check.value(of: storing) }
    }

    @Test("what about a finger is wrong can be told apart, at a read and when an item would be bound")
    func fingers() {
        let kinds: [(String?, KeychainError.Code)] = [
            ("not-enrolled", .biometryNotEnrolled), ("no-reader", .biometryNotAvailable),
            ("not-looked-for", .biometryNotAvailable), ("unavailable", .biometryNotAvailable),
            ("not-recognised", .biometryRefused), ("other-fingers", .biometryRefused), (nil, .biometryRefused),
            ("something new", .biometryRefused),
        ]
        for (kind, code) in kinds {
            let details = Fault.Details(message: "m", advice: "a", kind: kind, reason: "biometry")
            #expect(KeychainError(authenticatorFault: Fault(.authenticationFailed, details)).code == code)
            let refused = KeychainError(authenticatorFault: Fault(.authenticationInvalidArgument, details))
            #expect(refused.code == (kind == nil ? .invalidArgument : code))
        }
    }

    @Test("a broker that is about to end is one that cannot be reached; other failures stay failures")
    func stopping() {
        func error(_ kind: String?) -> KeychainError {
            let details = Fault.Details(message: "the broker is stopping", advice: "try again in a moment", kind: kind)
            return KeychainError(brokerFault: Fault(.failed, details)).forApplication
        }
        let stopping = error("stopping")
        #expect(stopping.code == .brokerUnreachable && stopping.message == "the broker is stopping")
        #expect(stopping.advice == "try again in a moment")
        for kind: String? in [nil, "something new"] { #expect(error(kind).code == .failed) }
    }

    @Test("Foundation shows what happened and what to do", arguments: KeychainError.Code.allCases)
    func localized(_ code: KeychainError.Code) {
        let errors: [any Error] = [
            KeychainError(code, "it happened", advice: "do this", cause: "errno 28"),
            SettingsError(.busy, "it happened", advice: "do this", cause: "errno 28"),
        ]
        for error in errors {
            #expect(error.localizedDescription == "it happened")
            let localized = error as? any LocalizedError
            #expect(localized?.recoverySuggestion == "do this")
            #expect(localized?.failureReason == "errno 28")
        }
        let bare = KeychainError(code, "it happened")
        #expect(bare.recoverySuggestion == nil && bare.failureReason == nil)
        #expect(ReadOnlySource().localizedDescription == "this source can only be read")
    }

    @Test("an application's user is not told to use commands in its place")
    func advice() async throws {
        for advice in ["list your items with: coffer list", "run the command again", "set it again with: coffer set"] {
            for code in [KeychainError.Code.notFound, .wrongPassword, .damaged] {
                let shown = KeychainError(code, "m", advice: advice).forApplication.advice
                #expect(!shown.contains("coffer ") && !shown.contains("command"), "\(shown)")
            }
        }
        // Nothing but the command does it.
        let locked = KeychainError(.locked, "m", advice: "open it with: coffer unlock").forApplication
        #expect(locked.advice == "open it with: coffer unlock")

        let fixture = try await RealErrors()
        try await expectNoCommand { _ = try await fixture.keychain.bytes(for: "absent") }
        try await expectNoCommand { _ = try await fixture.keychain.attributes(of: "absent") }
        try await expectNoCommand { try await fixture.readGated(.wrong) }
        await fixture.end()
    }

    private func expectNoCommand(_ call: () async throws -> Void) async throws {
        let error = try #require(await #expect(throws: KeychainError.self) { try await call() })
        #expect(!error.description.contains("coffer ") && !error.description.contains("command"), "\(error)")
    }
}
