/// `TPMA_OBJECT`. TPM 2.0 Library, Part 2, section 8.3.
public struct ObjectAttributes: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let fixedTPM = ObjectAttributes(rawValue: 1 << 1)
    public static let fixedParent = ObjectAttributes(rawValue: 1 << 4)
    public static let sensitiveDataOrigin = ObjectAttributes(rawValue: 1 << 5)
    public static let userWithAuth = ObjectAttributes(rawValue: 1 << 6)
    public static let adminWithPolicy = ObjectAttributes(rawValue: 1 << 7)
    public static let noDictionaryAttack = ObjectAttributes(rawValue: 1 << 10)
    public static let restricted = ObjectAttributes(rawValue: 1 << 16)
    public static let decrypt = ObjectAttributes(rawValue: 1 << 17)
    public static let sign = ObjectAttributes(rawValue: 1 << 18)

    /// TCG EK Credential Profile, template H-2 with `userWithAuth`, as provisioned for storage.
    static let storageKey: ObjectAttributes = [
        .fixedTPM, .fixedParent, .sensitiveDataOrigin, .userWithAuth, .noDictionaryAttack, .restricted, .decrypt,
    ]
    /// A secret that opens without asking anybody.
    static let openData: ObjectAttributes = [.fixedTPM, .fixedParent, .userWithAuth, .noDictionaryAttack]
    /// `userWithAuth` must stay clear. Otherwise the object's empty password would open what the policy guards.
    static let policyData: ObjectAttributes = [.fixedTPM, .fixedParent, .adminWithPolicy, .noDictionaryAttack]
    static let policyAgreementKey: ObjectAttributes = policyData.union([.sensitiveDataOrigin, .decrypt])
    /// A key that signs with its password.
    static let passwordSigningKey: ObjectAttributes = [
        .fixedTPM, .fixedParent, .sensitiveDataOrigin, .userWithAuth, .noDictionaryAttack, .sign,
    ]
    /// `userWithAuth` must stay clear here too. Otherwise the password alone would be enough.
    static let policySigningKey: ObjectAttributes = policyData.union([.sensitiveDataOrigin, .sign])
    /// A key that signs only what the TPM itself says.
    static let attestationKey: ObjectAttributes = passwordSigningKey.union(.restricted)
    /// The public half of a key that is kept outside the TPM.
    static let verificationKey: ObjectAttributes = [.userWithAuth, .sign]
}
