/// The file that a process runs, held open so that everything is read from one file.
///
/// The kernel shows the path at which the file was opened. Each user can make a mount namespace (mount_namespaces(7)),
/// mount a file of theirs over `/usr/bin/git` there, and run it, from outside of the namespace too. So the path alone
/// says nothing.
struct ProgramFile: ~Copyable {
    private let file: Descriptor
    /// The path, as the kernel shows it.
    let path: String

    /// O_PATH, which is hidden without _GNU_SOURCE. The file system, which can be of the user's making, is not called.
    private static let pathOnly: Int32 = 0x20_0000

    /// - Throws: `SystemError` if the process has ended, or if this process may not examine it.
    init(of process: Int32) throws(SystemError) {
        let file = try Descriptor.open("/proc/\(process)/exe", Self.pathOnly)
        let path = try ProcessLink.read("fd/\(file.number)", of: OwnProcess.number)
        self.file = file
        self.path = path
    }

    /// Whether the path leads to this file outside of all namespaces that users make.
    var isFoundAtItsPath: Bool { isOnCommonMount || isSameFileHere }

    /// Whether it was opened on a mount of process 1. The path is then right even if the file was deleted since, or if
    /// root may not look at it (fuse(4)).
    private var isOnCommonMount: Bool {
        // `try?`: what cannot be read proves nothing.
        guard let facts = try? DurableFile.read("/proc/self/fdinfo/\(file.number)", limit: KernelFileLimits.openFile),
            let mount = Self.mount(in: facts), let mounts = Self.commonMounts()
        else { return false }
        return Self.lists(mounts, mount)
    }

    /// Whether this process finds the same file at the path. A service that has a `/tmp` of its own, for example, has
    /// copies of all other mounts.
    private var isSameFileHere: Bool {
        // `try?`: as above.
        guard path.hasPrefix("/"), let held = try? FileStatus.following("/proc/self/fd/\(file.number)"),
            let found = try? FileStatus.following(path)
        else { return false }
        return held.device == found.device && held.inode == found.inode
    }

    /// The mounts of process 1, or this process's own if a sandbox's authenticator may not read those.
    private static func commonMounts() -> [UInt8]? {
        for process in ["1", "self"] {
            // `try?`: the next one is tried, and without any of them nothing is proved.
            if let mounts = try? DurableFile.read("/proc/\(process)/mountinfo", limit: KernelFileLimits.mounts) {
                return mounts
            }
        }
        return nil
    }

    /// The mount's number, in digits.
    /// - Parameter facts: what the kernel says of an open file (proc_pid_fdinfo(5)).
    static func mount(in facts: [UInt8]) -> [UInt8]? {
        let name = Array("mnt_id:".utf8)
        guard let line = facts.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: name) }) else {
            return nil
        }
        let number = line.dropFirst(name.count).drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
        return number.isEmpty ? nil : Array(number)
    }

    /// Whether a list of mounts (proc_pid_mountinfo(5)) has one with this number. The kernel writes a line break in a
    /// path as `\012`.
    static func lists(_ mounts: [UInt8], _ mount: [UInt8]) -> Bool {
        let beginning = mount + [UInt8(ascii: " ")]
        return mounts.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: beginning) }
    }
}
