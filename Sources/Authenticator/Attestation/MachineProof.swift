import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import RootConfiguration

/// Has machines prove that their keys are in a TPM that root has listed. The authenticator makes the challenge and judges the
/// answer itself, so that no broker and no store can pass another machine off as a proven one.
struct MachineProof {
    /// Makes a challenge.
    typealias Maker = (Authentication.Challenge) throws(ConversationError) -> Authentication.Challenge.Reply

    private let list: MachineList
    private let key: ChallengeKey

    init(_ configuration: Configuration) throws(ConversationError) {
        list = try MachineList(configuration.machines)
        key = try ChallengeKey(directory: configuration.registryDirectory)
    }

    /// A challenge for the machine of a request.
    ///
    /// - Throws: ``ConversationError`` for a machine that is not in root's list.
    func challenge(
        _ call: Authentication.Challenge
    ) throws(ConversationError) -> Authentication.Challenge.Reply {
        let code: JoinCode
        do { code = try JoinCode(reading: SecretBytes(copying: Array(call.code.utf8))) } catch {
            throw .refused(.invalidArgument("that is not the code of a machine"))
        }
        let request = try Self.request(call.request, code)
        let identity: JoinIdentity
        do {
            identity = try JoinIdentity(decoding: code.open(Base64.decode(call.identity) ?? [], .identity))
        } catch { throw .refused(.invalidArgument("that is not the identity of a TPM")) }
        guard identity.request == request.digest else {
            throw .refused(.invalidArgument("the identity belongs to another request"))
        }
        _ = try list.name(of: identity.machine)
        let credential = try Self.cryptography { () throws(CryptographyError) in
            try IdentityCredential(
                key.secret(for: request.digest, identity.machine.bytes), for: identity.machine)
        }
        let challenge: JoinChallenge
        do throws(CircleFormError) {
            challenge = try JoinChallenge(request: request.digest, credential: credential)
        } catch { throw .refused(.misconfigured("a challenge cannot be written")) }
        let sealed = try Self.cryptography { () throws(CryptographyError) in
            try code.seal(challenge.bytes, .challenge)
        }
        return Authentication.Challenge.Reply(challenge: Base64.encode(sealed))
    }

    /// Judges the answer to a challenge.
    ///
    /// - Returns: what root calls the machine.
    /// - Throws: ``ConversationError`` unless every key of the request is in a TPM of root's list.
    func name(of evidence: JoinEvidence, for request: JoinRequest) throws(ConversationError) -> String {
        let name = try list.name(of: evidence.machine)
        let secret = try Self.cryptography { () throws(CryptographyError) in
            try key.secret(for: request.digest, evidence.machine.bytes)
        }
        let isProven: Bool
        do throws(CircleFormError) { isProven = try evidence.proves(request, secret: secret) } catch {
            throw .refused(.misconfigured("the proof of a machine cannot be checked"))
        }
        guard isProven else {
            throw .refused(
                .challengeRefused("the machine has not proved that its keys are in its TPM, behind its authenticator"))
        }
        return name
    }

    private static func request(_ text: String, _ code: JoinCode) throws(ConversationError) -> JoinRequest {
        do {
            let request = try code.openRequest(Base64.decode(text) ?? [])
            // Who knows the code can seal another request under it.
            guard try code.isCode(of: request) else { throw CircleFormError.form }
            return request
        } catch { throw .refused(.invalidArgument("that is not the request of this code")) }
    }

    static func cryptography<Value>(
        _ body: () throws(CryptographyError) -> Value
    ) throws(ConversationError) -> Value {
        do throws(CryptographyError) { return try body() } catch {
            throw .refused(.misconfigured("a challenge cannot be made: \(error.reason)"))
        }
    }
}
