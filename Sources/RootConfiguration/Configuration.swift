/// Root's configuration file, `/etc/coffer/cofferd.conf`. Each line is one `key = value`, and `#` starts a comment. Broker and authenticator read the
/// same file.
public struct Configuration: Sendable, Equatable {
    /// The path of the file, unless `--config` names another.
    public static let defaultPath = "/etc/coffer/cofferd.conf"

    /// The clients' socket.
    public var socket = "/run/coffer/coffer.sock"
    /// The broker's private socket, for the authenticator.
    public var authenticatorSocket = "/run/coffer/authenticator.sock"
    /// The authenticator's socket, for clients.
    public var authSocket = "/run/coffer-auth/auth.sock"
    /// The authenticator's socket for `pam_coffer`; nil for `report.sock` beside the clients'.
    public var reportSocketSetting: String?
    /// The files of the programs whose logins open a vault; they must run as root. sshd is not among them, because a key does not prove that a person
    /// is there.
    public var loginPrograms = [
        "/usr/libexec/gdm-session-worker", "/usr/lib/gdm3/gdm-session-worker", "/usr/libexec/sddm-helper",
        "/usr/lib/sddm/sddm-helper", "/usr/lib/x86_64-linux-gnu/sddm/sddm-helper",
        "/usr/lib/aarch64-linux-gnu/sddm/sddm-helper", "/usr/bin/login", "/bin/login",
    ]
    /// The login programs that unlock screens. Their logins open a vault even while a graphical session of the user is locked.
    public var screenPrograms = [
        "/usr/libexec/gdm-session-worker", "/usr/lib/gdm3/gdm-session-worker", "/usr/libexec/sddm-helper",
        "/usr/lib/sddm/sddm-helper", "/usr/lib/x86_64-linux-gnu/sddm/sddm-helper",
        "/usr/lib/aarch64-linux-gnu/sddm/sddm-helper",
    ]
    /// The broker's folder, which holds the vaults.
    public var vaultDirectory = "/var/lib/coffer"
    /// The authenticator's folder, which holds the registry and the signing key.
    public var registryDirectory = "/var/lib/coffer-auth"
    /// A folder of PAM service files to use instead of the system's; nil for the system's.
    public var pamDirectory: String?
    /// The PAM services that may accept a person without having asked or shown anything, because their modules are silent.
    public var silentServices: Set<String> = []
    /// The connection to the TPM: `device:PATH` or `swtpm:path=SOCKET`.
    public var tcti = "device:/dev/tpmrm0"
    public var sealer = SealerChoice.tpm
    /// The account that the broker runs as.
    public var brokerUser = "coffer"
    /// The account that the authenticator runs as.
    public var authenticatorUser = "root"
    /// A sandbox gives no guarantees and may run as any user.
    public var sandbox = false
    /// How many seconds a person has for one conversation.
    public var promptTimeout = 120
    public var connectionsPerUser = 64
    /// How many requests of one user may wait for a person at the same time. Requests of one program for one kind of proof count as one.
    public var authenticationsPerUser = 8
    /// How many of the TPM's NV indexes the vaults that a user has made may take. A vault takes 2, and 1 more each if it is bound or tied to the boot.
    public var indexesPerUser = 16
    /// The most seconds for which a person may let an answer be used again: 300 at most, 0 for never.
    public var reuseLimit = 300
    /// The most seconds for which a person may grant a lease: 43200 at most, 0 for never.
    public var leaseLimit = 3600
    /// The folder that holds each user's runtime folder, for notifications; nil for none. The session bus is `UID/bus` in it.
    public var notificationFolder: String? = "/run/user"
    /// How many seconds the TPM has for one command.
    public var tpmDeadline = 8
    /// A folder with the certificates (DER or PEM) of TPM makers that root trusts.
    public var tpmRoots = "/etc/coffer/tpm-roots"
    /// The file with the TPMs of the machines that may be added to a circle as proven ones.
    public var machines = "/etc/coffer/machines"
    /// The firmware's log of its measurements in this boot.
    public var bootLog = "/sys/kernel/security/tpm0/binary_bios_measurements"
    /// The folders that are searched for the files of boot loader and kernel that the log names.
    public var bootFolders = ["/boot", "/boot/efi", "/efi"]
    /// The folder in which fprintd stores each user's enrolled fingers.
    public var fingerprintDirectory = "/var/lib/fprint"
    /// The bus on which logind reports locked screens and sleep, and fprintd reports the enrolled fingers.
    public var systemBus = SystemBusChoice.system
    /// After how many minutes without use a vault locks itself; 0 for never.
    public var idleLock = 15

    public init() {}

    /// The bus that logind and fprintd are on.
    public enum SystemBusChoice: Sendable, Equatable {
        case system, none
        /// A D-Bus address: `unix:path=…`.
        case address(String)
    }

    public var reportSocket: String { reportSocketSetting ?? besideAuthSocket("report.sock") }

    /// The file in which the authenticator's processes count their conversations.
    public var conversationTable: String { besideAuthSocket("conversations") }

    private func besideAuthSocket(_ name: String) -> String {
        let folder = authSocket.lastIndex(of: "/").map { authSocket[..<$0] } ?? ""
        return "\(folder)/\(name)"
    }

    /// The two ways of sealing. Software is used only if root chooses it.
    public enum SealerChoice: String, Sendable, CaseIterable {
        case tpm, software
    }
}

/// What root can configure.
public enum ConfigurationLimits {
    /// The longest configuration file that is accepted, in bytes.
    public static let file = 64 << 10
    /// `prompt-timeout`, in seconds.
    static let promptTimeout = 5...600
    /// `connections-per-user`.
    static let connectionsPerUser = 1...4096
    /// `authentications-per-user`.
    static let authenticationsPerUser = 1...64
    /// `indexes-per-user`. The least lets a user make one vault, bind it and tie it to the boot.
    static let indexesPerUser = 4...4096
    /// `reuse-limit`, in seconds.
    static let reuseLimit = 0...300
    /// `lease-limit`, in seconds.
    static let leaseLimit = 0...43_200
    /// `tpm-deadline`, in seconds.
    static let tpmDeadline = 1...10
    /// `idle-lock`, in minutes; 0 is never.
    static let idleLock = 0...1440
}
