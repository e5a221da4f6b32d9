import Glibc

/// Whether a file system can be written, and how much room it has left for this process.
public struct FileSystemRoom: Sendable, Equatable {
    public let isReadOnly: Bool
    /// Bytes.
    public let free: UInt64

    /// - Parameter path: any file or folder on it.
    public static func of(_ path: String) throws(SystemError) -> FileSystemRoom {
        var information = statvfs()
        try checked("look at the file system of \(path)") { unsafe statvfs(path, &information) }
        return FileSystemRoom(
            isReadOnly: information.f_flag & UInt(ST_RDONLY) != 0,
            free: UInt64(information.f_bavail).multipliedReportingOverflow(by: UInt64(information.f_frsize))
                .partialValue)
    }

    /// Checks that nothing forbids this process to write a file or folder. One that is missing is none of its concern.
    ///
    /// - Throws: with `EROFS` for a file system that can only be read, and `EACCES` or `EPERM` without permission.
    public static func checkWritable(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try checked("write to \(path)") { unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) }
        } catch {
            guard [EROFS, EACCES, EPERM].contains(error.errno) else { return }
            throw error
        }
    }
}
