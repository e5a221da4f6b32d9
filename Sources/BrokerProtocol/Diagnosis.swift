import JSON
import Varlink

extension Keychain {
    /// What `coffer doctor` looks at. The names are stable: scripts may rely on them.
    public enum Check: String, JSONValue, CaseIterable {
        case broker, warning, authenticator, sealer, tpm
        case tpmVersion = "tpm-version"
        case tpmLockout = "tpm-lockout"
        case tpmPasswords = "tpm-passwords"
        case tpmRoom = "tpm-room"
        case tpmIndexes = "tpm-indexes"
        case tpmAccess = "tpm-access"
        case tpmIdentity = "tpm-identity"
        case storageKey = "storage-key"
        case measuredBoot = "measured-boot"
        case unit, files
        case signingKey = "signing-key"
        case sockets, pam, clock, rollback, vault, recovery, verification, log, biometrics, fingers, companions, sharing

        /// What is looked at, in one line.
        public var abstract: String {
            switch self {
            case .broker: "the broker answers, and is of the same version as `coffer`"
            case .warning: "what weakens the guarantees here (sandbox, broker run as root, software sealer)"
            case .authenticator: "the authenticator answers, and runs as root"
            case .sealer: "what seals the vault, if not a TPM"
            case .tpm: "the TPM answers; who made it"
            case .tpmVersion: "the revision of the specification that it follows, its firmware, what it lacks"
            case .tpmLockout: "whether other programs' failed attempts have locked it, and for how many more seconds"
            case .tpmPasswords: "whether the owner's and the lockout's passwords are set"
            case .tpmAccess: "who can use the TPM without Coffer: owner, mode and group of the device"
            case .tpmRoom: "room for objects, sessions and NV indexes"
            case .tpmIndexes:
                "the indexes that the vault's keys depend on are in the TPM; Coffer's indexes all belong to a vault"
            case .tpmIdentity: "how the TPM is known: endorsement certificate, or first-use pin"
            case .storageKey: "the storage key that is pinned in the registry is in the TPM"
            case .measuredBoot: "whether a changed boot will lock the vault"
            case .unit: "the broker runs as its unit says: no core file, no swap, no privileges, filtered system calls"
            case .files:
                "owner and mode of the vault's folder and files, the registry, the signing key; nobody else has the broker's account; each vault has its record; room"
            case .signingKey: "the vault's keys are for the authenticator's present signing key"
            case .sockets: "owner and mode of the sockets"
            case .pam: "the PAM services exist, and ask people before they let them in"
            case .clock: "the clock is not behind what the vault has seen"
            case .rollback: "an older copy of the vault's file would be noticed; none was put back"
            case .vault: "the vault's state, and whether it can be checked"
            case .recovery: "whether there is a recovery code"
            case .verification: "every row of the vault, against its tree, index and MACs"
            case .log: "the access log is whole"
            case .biometrics: "whether Coffer can ask for a finger, or why not"
            case .fingers: "items whose fingers are no longer enrolled"
            case .companions: "secrets of former imports, such as `github/me:otp`, that can be fields of another one"
            case .sharing: "the machines that share the secrets, and the folder through which they do"
            }
        }

        /// Who looks: the program that runs as the person, or the broker, which sees more.
        public var isBrokers: Bool {
            switch self {
            case .broker, .warning, .authenticator, .sealer, .vault, .recovery, .biometrics, .fingers, .companions,
                .sharing:
                false
            case .tpm, .tpmVersion, .tpmLockout, .tpmPasswords, .tpmAccess, .tpmRoom, .tpmIndexes, .tpmIdentity,
                .storageKey,
                .measuredBoot, .unit, .files, .signingKey, .sockets, .pam, .clock, .rollback, .verification, .log:
                true
            }
        }
    }
}

extension Keychain.Finding {
    /// What a check says.
    public enum Verdict: String, JSONValue {
        case ok
        /// Worth knowing, and nothing to mend.
        case note
        /// Something is to be done.
        case problem
    }

    /// What this check of this version found.
    public init(_ check: Keychain.Check, _ verdict: Verdict, _ message: String, advice: String? = nil) {
        self.init(check: check.rawValue, verdict: verdict, message: message, advice: advice)
    }
}
