import BrokerProtocol
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// Attacker 4: another user serves the socket that a program of this one takes for the authenticator's.
@Suite(
    "Nothing is said to an authenticator of another user",
    .enabled(if: geteuid() == 0, "only root can become other users"))
struct ForeignAuthenticatorTests {
    private static func code(_ call: () throws(KeychainError) -> Void) -> KeychainError.Code? {
        do throws(KeychainError) { try call() } catch { return error.code }
        return nil
    }

    @Test("by no call that blocks")
    func blocking() throws {
        let foreigner = try ForeignAuthenticator()
        let authenticator = Authenticator(
            paths: SocketPaths(broker: "/nobody", authenticator: foreigner.path), caller: geteuid())
        var prompter: any Prompter = SilentPrompter()
        let codes = [
            Self.code { () throws(KeychainError) in _ = try authenticator.forget() },
            Self.code { () throws(KeychainError) in _ = try authenticator.renewSigningKey() },
            Self.code { () throws(KeychainError) in _ = try authenticator.setAside("user:1", stamp: "t") },
            Self.code { () throws(KeychainError) in _ = try authenticator.biometry() },
            Self.code { () throws(KeychainError) in
                _ = try authenticator.challenge(code: "1", request: "r", identity: "i")
            },
            Self.code { () throws(KeychainError) in try authenticator.authorize(seconds: 1, by: &prompter) },
            Self.code { () throws(KeychainError) in try authenticator.pass("c1", by: &prompter) },
            Self.code { () throws(KeychainError) in try authenticator.pass("c1", by: &prompter, until: AgentStop()) },
        ]
        #expect(codes == Array(repeating: .authenticatorUntrusted, count: codes.count))
    }

    @Test("by no call that suspends")
    func suspending() async throws {
        let foreigner = try ForeignAuthenticator()
        let backend = BrokerBackend(paths: SocketPaths(broker: "/nobody", authenticator: foreigner.path))
        await refused(.authenticatorUntrusted) { () throws(KeychainError) in _ = try await backend.biometrics() }
    }

    /// As in a user namespace. It runs, so it is no advice to start it. Nor can a lease help.
    @Test("one that the kernel does not name is not said to be absent, also below a lease")
    func unnamed() async throws {
        let foreigner = try ForeignAuthenticator(user: PeerCredentials.unknownUser)
        var details = Fault.Details(challenge: "c1", purposes: ["read"])
        details.leased = true
        let broker = try PlayedBroker(["Get": [.fault(.authenticationRequired, details)]])
        let paths = SocketPaths(broker: broker.paths.broker, authenticator: foreigner.path)
        var errors: [KeychainError] = []

        let authenticator = Authenticator(paths: paths, caller: geteuid())
        do throws(KeychainError) { _ = try authenticator.biometry() } catch { errors.append(error) }
        let client = KeychainClient(paths: paths, caller: geteuid())
        do throws(KeychainError) {
            _ = try client.call(Wire.Get(service: "s", account: "me")) { _ throws(KeychainError) in
                Issue.record("somebody is asked")
                throw .cancelledByPerson
            }
        } catch { errors.append(error) }
        #expect(broker.server.calls("Get").count == 1 && broker.server.calls("Withdraw").count == 1)

        let backend = BrokerBackend(paths: paths, patience: patience)
        do throws(KeychainError) { _ = try await backend.biometrics() } catch { errors.append(error) }
        let keychain = Coffer.Keychain(service: "s", prompts: .never, backend: backend)
        do throws(KeychainError) { _ = try await keychain.bytes(for: "me") } catch { errors.append(error) }
        #expect(broker.server.calls("Get").count == 2 && broker.server.calls("Withdraw").count == 2)

        #expect(errors.map(\.code) == Array(repeating: .authenticatorUntrusted, count: 4))
        for error in errors {
            #expect(error.message.contains("cannot see who serves \(foreigner.path)"), "\(error)")
            #expect(error.advice == "run it outside, and hand the secret in")
        }
    }

    /// An agent of the caller's own user is named in each namespace, and another user's is none of theirs.
    @Test("nor is an agent or a broker that the kernel does not name")
    func unnamedOthers() throws {
        let foreigner = try ForeignAuthenticator(user: PeerCredentials.unknownUser)
        let agent = AgentClient(path: foreigner.path, user: geteuid())
        do throws(KeychainError) {
            _ = try agent.call(Agent.GetState())
            Issue.record("an agent that nobody knows is believed")
        } catch {
            #expect(error.code == .authenticationNeeded)
            #expect(error.message.contains("cannot see who serves \(foreigner.path)"), "\(error)")
        }
        let broker = KeychainError(broker: .unnamed("the kernel does not say"), path: "/b")
        #expect(broker.code == .brokerUnreachable && broker.message.contains("cannot see who serves /b"))
        #expect(TransportFailure.unnamed("the kernel does not say").reason == "the kernel does not say")
    }

    @Test("root is trusted everywhere, and the caller away from the installed socket")
    func trust() {
        let (installed, other) = (SocketPaths(), SocketPaths(broker: "/b", authenticator: "/a"))
        #expect(installed.trustsAuthenticator(run: 0, caller: 7) && other.trustsAuthenticator(run: 0, caller: 7))
        #expect(!installed.trustsAuthenticator(run: 7, caller: 7) && other.trustsAuthenticator(run: 7, caller: 7))
        #expect(!other.trustsAuthenticator(run: 8, caller: 7))
    }
}
