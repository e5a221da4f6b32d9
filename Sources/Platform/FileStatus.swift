import Glibc

/// Kind, owner and permissions of a file, without following links (lstat(2)).
public struct FileStatus: Sendable, Equatable {
    public let uid: UInt32
    public let gid: UInt32
    /// Permission bits.
    public let mode: UInt32
    public let isRegular: Bool
    public let isSymbolicLink: Bool
    public let isSocket: Bool
    public let isFolder: Bool
    public let size: Int64

    /// - Returns: nil if nothing is there.
    public static func of(_ path: String) throws(SystemError) -> FileStatus? {
        var information = stat()
        guard unsafe lstat(path, &information) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError("look at \(path)", errno: errno)
        }
        let kind = information.st_mode & S_IFMT
        return FileStatus(
            uid: information.st_uid, gid: information.st_gid, mode: information.st_mode & 0o7777,
            isRegular: kind == S_IFREG,
            isSymbolicLink: kind == S_IFLNK, isSocket: kind == S_IFSOCK, isFolder: kind == S_IFDIR,
            size: Int64(information.st_size))
    }
}

/// Removes files.
public enum FileRemoval {
    /// Removes a file or socket. A missing one is no error.
    public static func remove(_ path: String) throws(SystemError) {
        if unsafe unlink(path) != 0, errno != ENOENT { throw SystemError("remove \(path)", errno: errno) }
    }
}
