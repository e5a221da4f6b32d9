/// The wire that `pam_coffer` speaks: `report.sock`, where it says that somebody has logged in, one call and one answer; and, in a locker that runs as
/// its user, what every client says. The module's sources link to this very file, so it holds nothing that needs the standard library's larger half.
public enum LoginWire {
    /// The interface's name; Interfaces/org.coffer.Login.varlink.
    public static var interface: StaticString { "org.coffer.Login" }
    /// `Report(user: string) -> ()`.
    public static var report: StaticString { "org.coffer.Login.Report" }
    /// Where the authenticator listens, when neither the module's argument nor the configuration says otherwise.
    public static var socket: StaticString { "/run/coffer-auth/report.sock" }
    /// The longest user name that is reported, in bytes (LOGIN_NAME_MAX).
    public static var longestUser: Int { 256 }
    /// The longest call, in bytes.
    public static var longestCall: Int { 512 }

    /// `Unlock(challenge: ?string)` of Interfaces/org.coffer.Keychain.varlink, and the error that brings a challenge.
    public static var unlock: StaticString { "org.coffer.Keychain.Unlock" }
    public static var authenticationRequired: StaticString { "org.coffer.Keychain.AuthenticationRequired" }
    /// The purpose of a challenge that opens the vault, and nothing else.
    public static var unlockPurpose: StaticString { "unlock" }
    /// `Begin` and `Continue` of Interfaces/org.coffer.Authentication.varlink.
    public static var begin: StaticString { "org.coffer.Authentication.Begin" }
    public static var resume: StaticString { "org.coffer.Authentication.Continue" }
    /// The sockets of the broker and of the authenticator, for clients.
    public static var brokerSocket: StaticString { "/run/coffer/coffer.sock" }
    public static var authenticatorSocket: StaticString { "/run/coffer-auth/auth.sock" }
    /// The longest challenge, in bytes.
    public static var longestChallenge: Int { 256 }
}
