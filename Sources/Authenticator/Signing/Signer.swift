import Authorization
import BrokerProtocol
import Cryptography
import FoundationEssentials

/// Signs for each authorization in turn: nonce and parameter hash come from the broker, everything else from the registry.
struct Signer {
    let keys: SigningKeys
    let challenge: String
    /// nil before there is a vault: then there is nothing to sign for.
    var record: RegistryRecord?
    var proof = Proof.asked
    /// The digest of the fingers that are enrolled at the moment of asking; nil where there are none to ask about.
    var fingers: (() throws(BiometryObstacle) -> [UInt8]?)?

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

    /// - Throws: ``ConversationError``; signatures already given stay good for their one TPM session only.
    func sign(_ signatures: [SignatureWays.Signature], through broker: inout BrokerConnection) throws(ConversationError)
    {
        for wanted in signatures {
            if wanted.kind == .biometryCurrentSet { try checkFingers() }
            do throws(BrokerFailure) { try sign(wanted, through: &broker) } catch { throw ConversationError(error) }
        }
    }

    /// - Parameters:
    ///   - pin: what a password was made into, for the unlock root of a vault that is bound.
    ///   - reseals: what is released is to be sealed anew, and opens nothing before.
    func sign(
        _ wanted: SignatureWays.Signature, pin: SecretBytes? = nil, reseals: Bool = false,
        through broker: inout BrokerConnection
    ) throws(BrokerFailure) {
        let prepared = try broker.call(
            BrokerInterface.Prepare(challenge: challenge, authorization: Int64(wanted.index)), within: .seconds(60))
        let signature = try self.signature(for: prepared, kind: wanted.kind)
        _ = try broker.call(
            BrokerInterface.Complete(
                challenge: challenge, authorization: Int64(wanted.index),
                signature: Data(signature).base64EncodedString(), means: proof.means,
                pin: pin?.base64Encoded(), reseals: reseals ? true : nil),
            within: .seconds(60))
    }

    /// What the finger was that PAM said yes to nobody knows; that it is one of those that the key is for, the set as a whole has to say.
    private func checkFingers() throws(ConversationError) {
        let present: [UInt8]?
        do throws(BiometryObstacle) { present = try fingers?() } catch {
            throw .refused(.failed(.biometry, error.sentence))
        }
        guard let present, present == record?.biometrySet else { throw .refused(.failed(.biometry, Biometry.changed)) }
    }

    private func signature(
        for prepared: BrokerInterface.Prepare.Reply, kind: AuthorizationKind
    ) throws(BrokerFailure) -> [UInt8] {
        guard let record, let nonce = Data(base64Encoded: prepared.nonce),
            let hash = Data(base64Encoded: prepared.parameterHash),
            let request = SigningRequest(
                nonce: [UInt8](nonce), parameterHash: [UInt8](hash), reference: record.policyReference(for: kind))
        else { throw .unreachable("The broker asked for a signature over something that is no TPM session's.") }
        let made: SigningKey?
        do throws(ConversationError) { made = try keys.key(for: record) } catch {
            throw .unreachable("The key that this keychain was made for cannot be used.")
        }
        guard let key = made?.key else { throw .unreachable("The key that this keychain was made for is gone.") }
        do throws(CryptographyError) {
            return try key.signature(for: request.message())
        } catch {
            throw .unreachable("The signature could not be made: \(error.reason).")
        }
    }
}
