import CTSS2

/// Turns return codes of TSS into errors; there is no other place.
enum ResponseGate {
    /// Throws the error that `code` means for `command`. Returns if the code is success.
    static func check(_ code: TSS2_RC, _ command: CommandCode) throws(TPMError) {
        guard code != 0 else { return }
        let response = ResponseCode(code)
        let kind = classify(response, command)
        let text = unsafe Tss2_RC_Decode(code).map { unsafe String(cString: $0) } ?? "unknown code"
        let (what, advice) = words(kind)
        throw TPMError(kind, "\(what) (\(command.name): \(text))", advice: advice, responseCode: code)
    }

    static func classify(_ response: ResponseCode, _ command: CommandCode) -> TPMError.Code {
        guard response.isFromTPM else { return .other }
        switch response.base {
        case ResponseCode.lockout: return .lockout
        case ResponseCode.exhaustion, ResponseCode.noSpaceInStorage: return .exhausted
        case ResponseCode.initialize, ResponseCode.failure: return .unavailable
        case ResponseCode.policyFailed, ResponseCode.signature, ResponseCode.nonce, ResponseCode.expired,
            ResponseCode.policyCommand, ResponseCode.policy, ResponseCode.parameterHash, ResponseCode.stateChanged,
            ResponseCode.authorizationUnavailable, ResponseCode.authorizationType,
            ResponseCode.authorizationFailed, ResponseCode.badAuthorization:
            return .policyRefused
        case ResponseCode.value where command == .policySigned: return .policyRefused
        case ResponseCode.integrity, ResponseCode.binding: return .damaged
        case ResponseCode.commandCode: return .unsupported
        case let base where ResponseCode.later.contains(base): return .busy
        default:
            // The parameters of these commands come from the vault's file, so an error in them means that the file is
            // damaged.
            if command == .load || command == .activateCredential, case .parameter = response.subject {
                return .damaged
            }
            return .other
        }
    }

    private static func words(_ kind: TPMError.Code) -> (what: String, advice: String) {
        switch kind {
        case .lockout:
            (
                "the TPM is in its lockout after failed attempts by some program",
                "wait until it ends, and find out which program that is"
            )
        case .exhausted:
            ("the TPM has no room left", "end other programs that use it")
        case .unavailable: ("the TPM is not ready", "restart the machine, and check its firmware settings")
        case .policyRefused: ("the TPM refused the authorization", "")
        case .damaged: ("the stored object does not belong to this TPM's storage key, or was altered", "")
        case .unsupported: ("this TPM has no such command", "")
        case .busy: ("the TPM is busy", "try again in a moment")
        case .replaced, .deadline, .ownerPasswordSet, .indexReplaced, .generationEnded, .wrongPIN, .triesUsedUp,
            .bootChanged, .approvalsGone, .outOfMemory, .other:
            ("the TPM reported an error", "")
        }
    }
}
