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
