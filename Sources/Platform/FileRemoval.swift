import Glibc

/// Removes files.
public enum FileRemoval {
    /// Removes a file or socket. A missing one is no error.
    public static func remove(_ path: String) throws(SystemError) {
        if unsafe unlink(path) != 0, errno != ENOENT { throw SystemError("remove \(path)", errno: errno) }
    }
}
