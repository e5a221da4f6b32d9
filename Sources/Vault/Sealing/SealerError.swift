import Cryptography

/// Why a sealer did not open, make or use an object.
public struct SealerError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// There is no TPM, or it cannot be reached.
        case unavailable
        /// The TPM was cleared, or is another one.
        case replaced
        /// The TPM counts too many wrong tries and waits.
        case lockout
        /// The signature does not fit the object's policy.
        case policyRefused
        /// The TPM has no room for another object or session.
        case exhausted
        /// The TPM did not answer in time.
        case deadline
        /// The objects do not fit the registry's record.
        case damaged
        /// The password is not the one that the vault is bound to; the TPM has counted the try.
        case wrongPIN
        /// The TPM takes no password for this vault any more.
        case triesUsedUp
        /// The index that counts the tries was removed, or somebody made another in its place.
        case pinIndexGone
        /// The counter of the vault's epochs was removed, or somebody made another in its place, or counted.
        case counterGone
        /// The TPM spares its memory: later.
        case busy
        /// The machine was started in a way that nobody has approved for this vault.
        case bootNotApproved
        /// The index that holds the approved boots was removed, or somebody made another in its place.
        case bootIndexGone
        /// The keys were renewed since this copy of the vault was made, or what they hang on was removed from the TPM.
        case keysRenewed
        /// There is no such thing here: an old TPM, or none.
        case unsupported
        /// The authenticator did not sign.
        case signingRefused
        /// There is no memory for keys just now. It says nothing of the objects.
        case outOfMemory
        case other
    }

    static let noMemory = "there is no memory for keys just now; try again in a moment"

    public let code: Code
    public let reason: String
    /// The TPM's raw return code, 0 where it had no part in it.
    public let tpmCode: UInt32
    /// How many wrong passwords the TPM still takes, where it is about that and was known.
    public let triesLeft: UInt32?

    public init(_ code: Code, _ reason: String, tpmCode: UInt32 = 0, triesLeft: UInt32? = nil) {
        self.triesLeft = triesLeft
        self.code = code
        self.reason = reason
        self.tpmCode = tpmCode
    }

    public var description: String {
        tpmCode == 0 ? reason : "\(reason) (TPM error 0x\(String(tpmCode, radix: 16)))"
    }
}

extension SealerError {
    /// What only a program error, a lack of memory or a broken library can cause.
    init(_ error: CryptographyError) {
        let isOutOfMemory = error.code == .outOfMemory
        self.init(isOutOfMemory ? .outOfMemory : .other, isOutOfMemory ? Self.noMemory : "\(error)")
    }
}

/// The one who signs did not.
public struct SigningRefusal: Error, Sendable, Equatable {
    public let reason: String

    public init(_ reason: String = "the authenticator did not sign") { self.reason = reason }
}

/// Who made the sealer, for people.
public struct SealerDescription: Sendable, Equatable {
    public let manufacturer: String
    public let model: String

    public init(manufacturer: String, model: String) {
        self.manufacturer = manufacturer
        self.model = model
    }
}
