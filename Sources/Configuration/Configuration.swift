/// Root's configuration file, `/etc/coffer/cofferd.conf`: one `key = value` a line, `#` starts a comment. Broker and authenticator read the same file.
public struct Configuration: Sendable, Equatable {
    /// Where the file is when no `--config` says otherwise.
    public static let defaultPath = "/etc/coffer/cofferd.conf"

    /// The clients' socket.
    public var socket = "/run/coffer/coffer.sock"
    /// The broker's private socket, for the authenticator.
    public var authenticatorSocket = "/run/coffer/authenticator.sock"
    /// The authenticator's socket, for clients.
    public var authSocket = "/run/coffer-auth/auth.sock"
    /// The authenticator's socket for `pam_coffer`; nil for `report.sock` beside the clients'.
    public var reportSocketSetting: String?
    /// The files of the root-run programs whose logins open a keychain. Not sshd: a key proves nothing about a person who is there.
    public var loginPrograms = [
        "/usr/libexec/gdm-session-worker", "/usr/lib/gdm3/gdm-session-worker", "/usr/libexec/sddm-helper",
        "/usr/lib/sddm/sddm-helper", "/usr/lib/x86_64-linux-gnu/sddm/sddm-helper",
        "/usr/lib/aarch64-linux-gnu/sddm/sddm-helper", "/usr/bin/login", "/bin/login",
    ]
    /// Those of them that unlock screens: whose logins open a keychain also while a graphical session of the user is locked.
    public var screenPrograms = [
        "/usr/libexec/gdm-session-worker", "/usr/lib/gdm3/gdm-session-worker", "/usr/libexec/sddm-helper",
        "/usr/lib/sddm/sddm-helper", "/usr/lib/x86_64-linux-gnu/sddm/sddm-helper",
        "/usr/lib/aarch64-linux-gnu/sddm/sddm-helper",
    ]
    /// The broker's folder.
    public var vaultDirectory = "/var/lib/coffer"
    /// The authenticator's folder: registry, signing key.
    public var registryDirectory = "/var/lib/coffer-auth"
    /// A folder of PAM service files that is used instead of the system's; nil for the system's.
    public var pamDirectory: String?
    /// The way to the TPM: `device:PATH` or `swtpm:path=SOCKET`.
    public var tcti = "device:/dev/tpmrm0"
    public var sealer = SealerChoice.tpm
    /// The account that the broker runs as.
    public var brokerUser = "coffer"
    /// The account that the authenticator runs as.
    public var authenticatorUser = "root"
    /// A sandbox gives no guarantees, and may run as anybody.
    public var sandbox = false
    /// Seconds that a person has for one conversation.
    public var promptTimeout = 120
    public var connectionsPerUser = 64
    /// Requests of a user that may wait for a person at the same time; those of one program for one kind of proof count as one.
    public var authenticationsPerUser = 8
    /// Seconds for which a person may let an answer be used again, 0 for never; at most 300.
    public var reuseLimit = 300
    /// The folder with each user's runtime folder (`UID/bus` in it is the session's bus), for notifications; nil for none.
    public var notificationFolder: String? = "/run/user"
    /// Seconds that the TPM has for one command.
    public var tpmDeadline = 8
    /// A folder with the certificates (DER or PEM) of TPM makers that root trusts.
    public var tpmRoots = "/etc/coffer/tpm-roots"
    /// The firmware's log of what it measured in this boot.
    public var bootLog = "/sys/kernel/security/tpm0/binary_bios_measurements"
    /// Folders in which the files of boot loader and kernel are looked for that the log names.
    public var bootFolders = ["/boot", "/boot/efi", "/efi"]
    /// Where fprintd keeps the enrolled fingers of each user.
    public var fingerprintDirectory = "/var/lib/fprint"
    /// Where logind says that screens are locked and the machine goes to sleep, and fprintd which fingers are enrolled.
    public var systemBus = SystemBusChoice.system
    /// Minutes without use after which a vault locks itself; 0 for never.
    public var idleLock = 15

    public init() {}

    /// The bus that logind and fprintd are on.
    public enum SystemBusChoice: Sendable, Equatable {
        case system, none
        /// As D-Bus writes it: `unix:path=…`.
        case address(String)
    }

    public var reportSocket: String { reportSocketSetting ?? besideAuthSocket("report.sock") }

    /// Where the authenticator's processes count their conversations.
    public var conversationTable: String { besideAuthSocket("conversations") }

    private func besideAuthSocket(_ name: String) -> String {
        let folder = authSocket.lastIndex(of: "/").map { authSocket[..<$0] } ?? ""
        return "\(folder)/\(name)"
    }

    /// The two ways of sealing; software only where root says so.
    public enum SealerChoice: String, Sendable, CaseIterable {
        case tpm, software
    }
}
