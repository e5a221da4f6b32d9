import Cryptography

/// Why a sealer did not open, make or use an object.
public struct SealerError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// There is no TPM, or it cannot be reached.
        case unavailable
        /// The TPM was cleared, or it is another TPM.
        case replaced
        /// The TPM has counted too many wrong tries, and accepts none for a while.
        case lockout
        /// The signature does not fit the object's policy.
        case policyRefused
        /// The TPM has no room for another object or session.
        case exhausted
        /// The TPM did not answer in time.
        case deadline
        /// The objects do not fit the registry's record.
        case damaged
        /// The password is not the one that the vault is bound to. The TPM has counted the try.
        case wrongPIN
        /// The TPM no longer accepts any password for this vault.
        case triesUsedUp
        /// The index that counts the tries was removed or replaced.
        case pinIndexGone
        /// The counter of the vault's epochs was removed or replaced, or somebody else has moved it.
        case counterGone
        /// The TPM limits writes to its memory. Try again later.
        case busy
        /// The machine was started in a way that is not approved for this vault.
        case bootNotApproved
        /// The index of the approved boots was removed or replaced.
        case bootIndexGone
        /// The keys were renewed since this copy of the vault was made, or the index they depend on was removed from
        /// the TPM.
        case keysRenewed
        /// This machine cannot do it, because it has no TPM or an old one.
        case unsupported
        /// The authenticator did not sign.
        case signingRefused
        /// There is no memory for keys at the moment. This tells nothing about the objects.
        case outOfMemory
        case other
    }

    static let noMemory = "there is no memory for keys just now"
    static let tryAgain = "try again in a moment"

    public let code: Code
    /// What happened, for people.
    public let reason: String
    /// What to do about it, for people; empty if there is nothing to do.
    public let advice: String
    /// The TPM's raw return code; 0 if the error did not come from the TPM.
    public let tpmCode: UInt32
    /// How many wrong passwords the TPM still accepts, if the error concerns a password and the number is known.
    public let triesLeft: UInt32?

    public init(
        _ code: Code, _ reason: String, advice: String = "", tpmCode: UInt32 = 0, triesLeft: UInt32? = nil
    ) {
        self.triesLeft = triesLeft
        self.code = code
        self.reason = reason
        self.advice = advice
        self.tpmCode = tpmCode
    }

    public var description: String {
        (tpmCode == 0 ? reason : "\(reason) (TPM error 0x\(String(tpmCode, radix: 16)))")
            + (advice.isEmpty ? "" : "; \(advice)")
    }
}

extension SealerError {
    /// The TPM's response code, as the wire names causes; nil if the error did not come from the TPM.
    public var underlying: String? { tpmCode == 0 ? nil : "tpm 0x\(String(tpmCode, radix: 16))" }

    /// Translates an error that only a bug, a lack of memory or a broken library can cause.
    init(_ error: CryptographyError) {
        guard error.code != .outOfMemory else {
            self.init(.outOfMemory, Self.noMemory, advice: Self.tryAgain)
            return
        }
        self.init(.other, "\(error)")
    }
}

/// The maker and model of the sealer, for people.
public struct SealerDescription: Sendable, Equatable {
    public let manufacturer: String
    public let model: String

    public init(manufacturer: String, model: String) {
        self.manufacturer = manufacturer
        self.model = model
    }
}
