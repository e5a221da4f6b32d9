import Glibc

/// Kind, owner and permissions of a file, without following links (lstat(2), fstat(2)).
public struct FileStatus: Sendable, Hashable {
    /// A time of change.
    public struct Time: Sendable, Hashable, Comparable {
        /// Seconds since 1970.
        public let seconds: Int64
        public let nanoseconds: Int64

        public static func < (left: Time, right: Time) -> Bool {
            (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
        }

        /// The next time that a file system tells apart.
        var successor: Time {
            nanoseconds < 999_999_999
                ? Time(seconds: seconds, nanoseconds: nanoseconds + 1) : Time(seconds: seconds &+ 1, nanoseconds: 0)
        }
    }

    public let uid: UInt32
    public let gid: UInt32
    /// Permission bits.
    public let mode: UInt32
    public let isRegular: Bool
    public let isSymbolicLink: Bool
    public let isSocket: Bool
    public let isFolder: Bool
    /// Bytes.
    public let size: Int64
    /// The file system, and the file's number in it.
    public let device: UInt64
    public let inode: UInt64
    /// The number of names that the file has.
    public let links: UInt64
    /// When the content was changed.
    public let changed: Time

    /// - Returns: nil if nothing is there.
    public static func of(_ path: String) throws(SystemError) -> FileStatus? {
        try look(at: path) { unsafe lstat(path, &$0) }
    }

    /// The status of what a path leads to, through links.
    /// - Returns: nil if nothing is there.
    public static func following(_ path: String) throws(SystemError) -> FileStatus? {
        try look(at: path) { unsafe stat(path, &$0) }
    }

    private static func look(
        at path: String, _ call: (inout stat) -> Int32
    ) throws(SystemError) -> FileStatus? {
        var information = stat()
        guard call(&information) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError("look at \(path)", errno: errno)
        }
        return FileStatus(information)
    }

    /// The status of a file that is open.
    init(of file: borrowing Descriptor, named path: String) throws(SystemError) {
        var information = stat()
        let number = file.number
        try checked("look at \(path)") { unsafe fstat(number, &information) }
        self.init(information)
    }

    private init(_ information: stat) {
        let kind = information.st_mode & S_IFMT
        uid = information.st_uid
        gid = information.st_gid
        mode = information.st_mode & 0o7777
        isRegular = kind == S_IFREG
        isSymbolicLink = kind == S_IFLNK
        isSocket = kind == S_IFSOCK
        isFolder = kind == S_IFDIR
        size = Int64(information.st_size)
        device = UInt64(information.st_dev)
        inode = UInt64(information.st_ino)
        links = UInt64(information.st_nlink)
        changed = Time(seconds: Int64(information.st_mtim.tv_sec), nanoseconds: Int64(information.st_mtim.tv_nsec))
    }
}

/// Removes files.
public enum FileRemoval {
    /// Removes a file or socket. A missing one is no error.
    public static func remove(_ path: String) throws(SystemError) {
        if unsafe unlink(path) != 0, errno != ENOENT { throw SystemError("remove \(path)", errno: errno) }
    }
}
