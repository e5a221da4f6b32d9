import Authorization
import BrokerProtocol
import Cryptography
import Platform

/// Signs for each authorization in turn. Nonce and parameter hash come from the broker, everything else from the registry.
struct Signer {
    let keys: SigningKeys
    let challenge: String
    /// nil before there is a vault. Then there is nothing to sign for.
    var record: RegistryRecord?
    var proof = Proof.asked
    /// Returns the digest of the fingers that are enrolled at the moment of the call; nil if no finger is ever needed.
    var fingers: (() throws(BiometryObstacle) -> [UInt8]?)?
    /// Gets each signature and the parameter hash that it will be over, right before it is made. It can refuse.
    var witness: ((SignatureWays.Signature, String) throws(BrokerFailure) -> Void)?

    init(
        keys: SigningKeys, challenge: String, record: RegistryRecord?, proof: Proof = .asked,
        fingers: (() throws(BiometryObstacle) -> [UInt8]?)? = nil
    ) {
        self.keys = keys
        self.challenge = challenge
        self.record = record
        self.proof = proof
        self.fingers = fingers
    }

    /// - Throws: ``ConversationError``. Signatures that were made before remain valid, but only for their one TPM session.
    func sign(_ signatures: [SignatureWays.Signature], through broker: inout BrokerConnection) throws(ConversationError)
    {
        for wanted in signatures {
            if wanted.kind == .biometryCurrentSet { try checkFingers() }
            do throws(BrokerFailure) { try sign(wanted, through: &broker) } catch { throw ConversationError(error) }
        }
    }

    /// - Parameters:
    ///   - pin: the value derived from the password, for the unlock root of a bound vault.
    ///   - reseals: the released root is to be sealed anew, and opens nothing before that.
    func sign(
        _ wanted: SignatureWays.Signature, pin: SecretBytes? = nil, reseals: Bool = false,
        through broker: inout BrokerConnection
    ) throws(BrokerFailure) {
        let prepared = try broker.call(
            BrokerInterface.Prepare(challenge: challenge, authorization: Int64(wanted.index)),
            within: BrokerLimits.sealing)
        try witness?(wanted, prepared.parameterHash)
        let signature = try self.signature(
            nonce: prepared.nonce, parameterHash: prepared.parameterHash, kind: wanted.kind)
        _ = try broker.call(
            BrokerInterface.Complete(
                challenge: challenge, authorization: Int64(wanted.index),
                signature: Base64.encode(signature), means: proof.means,
                pin: pin?.base64Encoded(), reseals: reseals ? true : nil),
            within: BrokerLimits.sealing)
    }

    /// Nobody knows which finger PAM accepted. So the whole set of enrolled fingers must be the one that the key is bound to.
    private func checkFingers() throws(ConversationError) {
        let present: [UInt8]?
        do throws(BiometryObstacle) { present = try fingers?() } catch {
            throw Self.refused(error.words)
        }
        guard let present, present == record?.biometrySet else { throw Self.refused(Biometry.changed) }
    }

    private static func refused(_ words: BiometryWords) -> ConversationError {
        .refused(.failed(words))
    }

    /// - Parameters:
    ///   - nonce: of the TPM's session, base64.
    ///   - parameterHash: of the command that the session is for, base64.
    func signature(
        nonce: String, parameterHash: String, kind: AuthorizationKind
    ) throws(BrokerFailure) -> [UInt8] {
        guard let record, let nonce = Base64.decode(nonce), let hash = Base64.decode(parameterHash),
            let request = SigningRequest(
                nonce: nonce, parameterHash: hash, reference: record.policyReference(for: kind))
        else {
            throw .unreachable("the broker asked for a signature over something that does not come from a TPM session")
        }
        let made: SigningKey?
        do throws(ConversationError) { made = try keys.key(for: record) } catch {
            throw .unreachable("the key that this vault was made for cannot be used")
        }
        guard let key = made?.key else { throw .unreachable("the key that this vault was made for is gone") }
        do throws(CryptographyError) {
            return try key.signature(for: request.message())
        } catch {
            throw .unreachable("the signature could not be made: \(error.reason)")
        }
    }
}
