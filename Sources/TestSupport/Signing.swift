import Authorization
import Cryptography
import Vault

/// The authenticator of a test does not sign.
public struct SigningRefusal: Error, Sendable, Equatable {
    public let reason: String

    public init(_ reason: String = "the authenticator did not sign") { self.reason = reason }
}

/// What opens a bound vault: the authenticator's signature, and the password in the form that the TPM knows.
public struct BoundProof: Sendable {
    /// `r ‖ s`, 64 bytes.
    public let signature: [UInt8]
    /// 32 bytes.
    public let pin: SecretBytes?

    public init(signature: [UInt8], pin: SecretBytes?) {
        self.signature = signature
        self.pin = pin
    }
}

/// Both steps of a use in one call, with an authenticator that is at hand.
extension Sealer {
    public func open(
        _ role: ObjectRole, _ objects: SealedObjects, record: RegistryRecord,
        sign: (SigningRequest) throws(SigningRefusal) -> [UInt8]
    ) throws(SealerError) -> SecretBytes {
        try begin(.open(role), objects, record: record).finish { (request) throws(SigningRefusal) in
            BoundProof(signature: try sign(request), pin: nil)
        }
    }

    public func agree(
        _ role: ObjectRole, point: [UInt8], _ objects: SealedObjects, record: RegistryRecord,
        sign: (SigningRequest) throws(SigningRefusal) -> [UInt8]
    ) throws(SealerError) -> SecretBytes {
        try begin(.agree(role, point: point), objects, record: record).finish { (request) throws(SigningRefusal) in
            BoundProof(signature: try sign(request), pin: nil)
        }
    }

    public func openBound(
        _ objects: SealedObjects, record: RegistryRecord, prove: (SigningRequest) throws(SigningRefusal) -> BoundProof
    ) throws(SealerError) -> SecretBytes {
        try begin(.open(.unlockRoot), objects, record: record).finish(prove: prove)
    }
}

extension PendingUse {
    /// - Throws: `.signingRefused` if the authenticator does not sign.
    public func finish(
        prove: (SigningRequest) throws(SigningRefusal) -> BoundProof
    ) throws(SealerError) -> SecretBytes {
        let proof: BoundProof
        do throws(SigningRefusal) { proof = try prove(request) } catch {
            cancel()
            throw SealerError(.signingRefused, error.reason)
        }
        return try finish(signature: proof.signature, pin: proof.pin)
    }
}
