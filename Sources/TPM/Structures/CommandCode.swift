/// The commands used here. TPM 2.0 Library, Part 2, "TPM_CC".
public enum CommandCode: UInt32, Sendable, CaseIterable {
    case evictControl = 0x120
    case nvUndefineSpace = 0x122
    case nvDefineSpace = 0x12A
    case createPrimary = 0x131
    case nvIncrement = 0x134
    case nvWrite = 0x137
    case activateCredential = 0x147
    case getSessionAuditDigest = 0x14D
    case nvRead = 0x14E
    case policySecret = 0x151
    case create = 0x153
    case agree = 0x154
    case load = 0x157
    case sign = 0x15D
    case unseal = 0x15E
    case policySigned = 0x160
    case flushContext = 0x165
    case loadExternal = 0x167
    case makeCredential = 0x168
    case nvReadPublic = 0x169
    case policyAuthValue = 0x16B
    case policyOr = 0x171
    case readPublic = 0x173
    case startAuthSession = 0x176
    case getCapability = 0x17A
    case readPCR = 0x17E
    case policyPCR = 0x17F
    case policyDigest = 0x189
    case policyAuthorizeNV = 0x192

    /// The name in the specification.
    public var name: String {
        switch self {
        case .evictControl: "TPM2_EvictControl"
        case .nvUndefineSpace: "TPM2_NV_UndefineSpace"
        case .nvDefineSpace: "TPM2_NV_DefineSpace"
        case .createPrimary: "TPM2_CreatePrimary"
        case .nvIncrement: "TPM2_NV_Increment"
        case .nvWrite: "TPM2_NV_Write"
        case .activateCredential: "TPM2_ActivateCredential"
        case .getSessionAuditDigest: "TPM2_GetSessionAuditDigest"
        case .nvRead: "TPM2_NV_Read"
        case .policySecret: "TPM2_PolicySecret"
        case .create: "TPM2_Create"
        case .agree: "TPM2_ECDH_ZGen"
        case .load: "TPM2_Load"
        case .sign: "TPM2_Sign"
        case .unseal: "TPM2_Unseal"
        case .policySigned: "TPM2_PolicySigned"
        case .flushContext: "TPM2_FlushContext"
        case .loadExternal: "TPM2_LoadExternal"
        case .makeCredential: "TPM2_MakeCredential"
        case .nvReadPublic: "TPM2_NV_ReadPublic"
        case .policyAuthValue: "TPM2_PolicyAuthValue"
        case .policyOr: "TPM2_PolicyOR"
        case .readPublic: "TPM2_ReadPublic"
        case .startAuthSession: "TPM2_StartAuthSession"
        case .getCapability: "TPM2_GetCapability"
        case .readPCR: "TPM2_PCR_Read"
        case .policyPCR: "TPM2_PolicyPCR"
        case .policyDigest: "TPM2_PolicyGetDigest"
        case .policyAuthorizeNV: "TPM2_PolicyAuthorizeNV"
        }
    }
}
