extension KeychainError {
    /// The `OSStatus` that Apple's Security framework gives for this kind of failure (SecBase.h).
    public var appleStatus: Int32 {
        switch code {
        case .notFound: -25300  // errSecItemNotFound
        case .alreadyExists: -25299  // errSecDuplicateItem
        case .ambiguous, .invalidArgument: -50  // errSecParam
        case .locked, .authenticationNeeded, .applicationPasswordNeeded: -25308  // errSecInteractionNotAllowed
        case .notPermitted: -34018  // errSecMissingEntitlement
        case .damaged: -26275  // errSecDecode
        case .applicationPasswordRefused, .biometryRefused, .wrongPassword, .boundPassword, .accountExpired,
            .accountDenied,
            .tooManyTries,
            .timedOut, .requestOutdated:
            -25293  // errSecAuthFailed
        case .cancelled: -128  // errSecUserCanceled
        case .limitExceeded: -25302  // errSecDataTooLarge
        case .authenticationMisconfigured, .tpmUnavailable, .tpmReplaced, .tpmLockout, .tpmRefused, .tpmExhausted,
            .tpmDeadline, .tpmTriesUsedUp, .tpmPasswordIndexGone, .tpmBootNotApproved, .tpmBootIndexGone,
            .tpmUnsupported,
            .tpmOther, .brokerUnreachable, .brokerSilent, .authenticatorUnreachable, .authenticatorUntrusted:
            -25291  // errSecNotAvailable
        case .protocolViolation, .failed: -2070  // errSecInternalComponent
        }
    }
}
