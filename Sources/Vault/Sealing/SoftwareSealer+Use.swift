import Authorization
import Cryptography
import Synchronization

extension SoftwareSealer {
    public func begin(
        _ use: SignedUse, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> any PendingUse {
        let command: [UInt8]
        let (sealed, _, name) = try check(use.role, objects, record)
        switch use {
        case .open(let role):
            guard role == .unlockRoot || role == .recovery else {
                throw SealerError(.other, "object \(role.rawValue) is not opened by a signature")
            }
            command = BigEndian.bytes(0x0000_015E as UInt32) + name
        case .agree(let role, let point):
            guard role.isAgreementKey else {
                throw SealerError(.other, "object \(role.rawValue) is not an agreement key")
            }
            guard P256.isOnCurve(point) else { throw SealerError(.damaged, "an item's point does not lie on P-256") }
            let coordinate = BigEndian.bytes(32 as UInt16)
            let marshalled = BigEndian.bytes(68 as UInt16) + coordinate + point[1...32] + coordinate + point[33...64]
            command = BigEndian.bytes(0x0000_0154 as UInt32) + name + marshalled
        }
        guard let kind = use.role.authorization else {
            throw SealerError(.other, "object \(use.role.rawValue) needs no signature")
        }
        let request: SigningRequest?
        do throws(CryptographyError) {
            request = SigningRequest(
                nonce: try Random.bytes(32), parameterHash: try SHA256.digest(command),
                reference: record.policyReference(for: kind))
        } catch { throw SealerError(error) }
        guard let request else { throw SealerError(.other, "there is no request to sign") }
        return SoftwarePendingUse(
            request: request, sealer: self, use: use, object: sealed, authenticatorKey: record.authenticatorKey)
    }
}

/// A use that was begun in software.
private final class SoftwarePendingUse: PendingUse {
    let request: SigningRequest
    private let sealer: SoftwareSealer
    private let use: SignedUse
    private let object: SealedObject
    private let authenticatorKey: [UInt8]
    private let hasEnded = Mutex(false)

    init(
        request: SigningRequest, sealer: SoftwareSealer, use: SignedUse, object: SealedObject,
        authenticatorKey: [UInt8]
    ) {
        self.request = request
        self.sealer = sealer
        self.use = use
        self.object = object
        self.authenticatorKey = authenticatorKey
    }

    func finish(signature: [UInt8], pin: SecretBytes?) throws(SealerError) -> SecretBytes {
        guard end() else { throw .useEnded }
        try check(signature)
        let secret = try sealer.unseal(object)
        guard case .agree(let role, let point) = use else { return secret }
        do throws(CryptographyError) {
            return try P256.PrivateKey(rawRepresentation: secret).sharedSecret(with: point)
        } catch { throw sealer.damaged(role, error) }
    }

    func cancel() { _ = end() }

    /// - Returns: false if it had ended before.
    private func end() -> Bool {
        hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
    }

    /// The rule of TPM2_PolicySigned. The signature covers a fresh nonce, the command's own hash and the object's
    /// reference. It must be made with the authenticator's key.
    private func check(_ signature: [UInt8]) throws(SealerError) {
        let isValid: Bool
        do throws(CryptographyError) {
            isValid = try P256.isValid(signature: signature, for: request.message(), publicKey: authenticatorKey)
        } catch {
            guard error.code == .invalidSignature else { throw SealerError(error) }
            throw SealerError(.policyRefused, "the authenticator's signature is malformed")
        }
        guard isValid else {
            throw SealerError(.policyRefused, "the authenticator's signature is not for this object, use and vault")
        }
    }
}
