// Every limit on what the system may give, and how long it may take. Sizes are in bytes.

/// Accounts and groups, as the name service gives them.
enum NameServiceLimits {
    /// One account.
    static let account = 1 << 20
    /// One group with its members.
    static let group = 1 << 24
    /// The most groups that are read for an account. Linux gives a process no more (NGROUPS_MAX).
    static let groups: Int32 = 65536
}

/// The kernel's files about processes and devices.
enum KernelFileLimits {
    /// The path that a link in `/proc/PID` has.
    static let link = 4096
    /// `/proc/PID/stat`.
    static let stat = 4096
    /// `/proc/PID/status`. It names up to 65,536 groups.
    static let status = 1 << 20
    /// `/proc/PID/cgroup`.
    static let controlGroup = 8192
    /// The list of a thread's children.
    static let children = 65_536
    /// What it says of an open file.
    static let openFile = 4096
    /// The list of mounts.
    static let mounts = 4 << 20
    /// One property of a device.
    static let device = 4096
    /// The ID of this start of the machine.
    static let bootID = 64
}

/// Programs that end with their starter, and a process's descendants.
enum ProgramLimits {
    /// How long a guard may take to start a program, and to end it. This is far more than the guard needs.
    static let guardAnswer = Duration.seconds(10)
    /// How often starting a program is tried. A program that was just written may be held open for another moment
    /// (ETXTBSY).
    static let attempts = 4
    /// How long a program has between SIGTERM and SIGKILL.
    static let termination = Duration.milliseconds(500)
    /// How long a killed program is waited for.
    static let kill = Duration.seconds(10)
    /// How long killed descendants are waited for.
    static let descendants = Duration.seconds(1)
    /// The bytes of one read of a program's output.
    static let piece = 1 << 16
    /// Between two looks whether a program has ended.
    static let look = Duration.milliseconds(100)
}

extension SocketAddress {
    /// The longest path that fits into `sun_path` with its final zero.
    public static let longestPath = 107
}
