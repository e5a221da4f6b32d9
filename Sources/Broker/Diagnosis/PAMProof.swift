/// How the lines of one type are read.
protocol PAMReading {
    /// `auth` or `account`.
    var type: String { get }

    /// What the module of this line says if it succeeds.
    func word(of line: PAMLine) -> PAMProof.Word

    /// Whether the module can return `PAM_IGNORE`, as if the line were not there.
    func canIgnore(_ line: PAMLine) -> Bool
}

/// What a PAM service stands for, and the modules that are known to ask a person for it.
enum PAMProof: String, CaseIterable, PAMReading {
    case anyFactor = "coffer"
    case biometric = "coffer-biometric"
    case passcode = "coffer-passcode"

    var words: String {
        switch self {
        case .anyFactor: "asking them"
        case .biometric: "asking for a finger or a face"
        case .passcode: "asking for the login password"
        }
    }

    /// What a module's success says about the person.
    enum Word {
        /// They were asked for what the service stands for.
        case asked
        /// Nobody was asked, or for something else.
        case unasked
        /// Coffer does not know the module.
        case unknown
    }

    var type: String { "auth" }

    /// Modules that ask for the login password. They judge the account, too.
    static let passwords: Set = [
        "pam_unix.so", "pam_sss.so", "pam_ldap.so", "pam_winbind.so", "pam_krb5.so", "pam_systemd_home.so",
        "pam_himmelblau.so",
    ]
    static let biometrics: Set = ["pam_fprintd.so"]
    /// Modules that ask for a security key, a card or a one-time password.
    private static let tokens: Set = [
        "pam_u2f.so", "pam_yubico.so", "pam_oath.so", "pam_google_authenticator.so", "pam_pkcs11.so", "pam_p11.so",
    ]
    /// Modules that decide something without asking anybody.
    private static let silent: Set = [
        "pam_permit.so", "pam_rootok.so", "pam_succeed_if.so", "pam_localuser.so", "pam_usertype.so", "pam_debug.so",
        "pam_wheel.so", "pam_listfile.so", "pam_time.so", "pam_timestamp.so", "pam_access.so", "pam_env.so",
        "pam_nologin.so", "pam_securetty.so", "pam_shells.so", "pam_group.so", "pam_faildelay.so", "pam_faillock.so",
        "pam_tally2.so", "pam_cap.so", "pam_keyinit.so", "pam_limits.so", "pam_loginuid.so", "pam_echo.so",
        "pam_warn.so", "pam_mail.so", "pam_motd.so", "pam_issue.so", "pam_lastlog.so", "pam_umask.so", "pam_xauth.so",
        "pam_rhosts.so", "pam_gnome_keyring.so", "pam_kwallet5.so", "pam_systemd.so", "pam_coffer.so",
    ]

    static func isKnown(_ module: String) -> Bool {
        passwords.union(biometrics).union(tokens).union(silent).contains(module)
    }

    private var asking: Set<String> {
        switch self {
        case .anyFactor: Self.passwords.union(Self.biometrics).union(Self.tokens)
        case .biometric: Self.biometrics
        case .passcode: Self.passwords
        }
    }

    /// What the module of this line says if it succeeds.
    func word(of line: PAMLine) -> Word {
        // With these words a module lets in somebody of whom it knows nothing.
        let lenient = line.arguments.contains { $0.hasPrefix("nullok") || $0 == "nouserok" }
        if asking.contains(line.module), !lenient { return .asked }
        if Self.isKnown(line.module) { return .unasked }
        // Without this word the program gets no password, so it cannot have asked for one.
        if line.module == "pam_exec.so", !line.arguments.contains("expose_authtok") { return .unasked }
        return .unknown
    }

    /// Whether the module can return `PAM_IGNORE`, as if the line were not there. Modules that ask do so only for users whom a word of the line
    /// leaves out.
    func canIgnore(_ line: PAMLine) -> Bool {
        word(of: line) != .asked
            || line.arguments.contains { $0.hasPrefix("ignore_") || $0.hasPrefix("minimum_uid") }
    }

    /// Whether the module waits for a touch without a word.
    static func isMute(_ line: PAMLine) -> Bool {
        line.module == "pam_u2f.so" && !line.arguments.contains { $0 == "cue" || $0 == "interactive" }
    }
}
