import Authorization
import Cryptography
import Synchronization

extension SoftwareSealer {
    public func begin(
        _ use: SignedUse, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> any PendingUse {
        let command: [UInt8]
        let (sealed, name) = try object(of: use, objects, record)
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
        case .sign(_, _, let digest, _):
            try Self.check(digest)
            let ticket = BigEndian.bytes(0x8024 as UInt16) + BigEndian.bytes(0x4000_0007 as UInt32) + [0, 0]
            let parameters = BigEndian.bytes(32 as UInt16) + digest + BigEndian.bytes(0x0010 as UInt16) + ticket
            command = BigEndian.bytes(0x0000_015D as UInt32) + name + parameters
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

    /// The object that a use needs, if it is exactly what the record demands, and its Name.
    private func object(
        of use: SignedUse, _ objects: SealedObjects, _ record: RegistryRecord
    ) throws(SealerError) -> (SealedObject, name: [UInt8]) {
        if case .sign(let key, let point, _, _) = use {
            try Self.requireSoftware(record)
            return (key, try SoftwareObject.check(key, use.role, point: point, record: record).name)
        }
        let checked = try check(use.role, objects, record)
        return (checked.sealed, checked.name)
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
        switch use {
        case .open: return try sealer.unseal(object)
        case .agree(let role, let point):
            let secret = try sealer.unseal(object)
            do throws(CryptographyError) {
                return try P256.PrivateKey(rawRepresentation: secret).sharedSecret(with: point)
            } catch { throw sealer.damaged(role, error) }
        case .sign(_, let point, let digest, let password):
            let signature = try sealer.signature(digest, object, point: point, password: password)
            do throws(CryptographyError) { return try SecretBytes(copying: signature) } catch {
                throw SealerError(error)
            }
        }
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
