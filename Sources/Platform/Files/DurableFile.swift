import CLinux
import Glibc

/// Reads and writes small files so that each exists whole or not at all, even after a power cut.
public enum DurableFile {
    /// Reads a whole regular file.
    /// - Parameter limit: the most bytes that it may have.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW)
        return try read(file, named: path, limit: limit)
    }

    /// Reads a file's first bytes.
    /// - Parameter count: the most bytes to read.
    public static func prefix(of path: String, count: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW)
        let number = file.number
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try checked("read \(path)") { unsafe pread(number, &bytes, count, 0) }
        return Array(bytes[..<found])
    }

    /// Reads an open file to its end.
    public static func read(_ file: borrowing Descriptor, named path: String, limit: Int) throws(SystemError) -> [UInt8]
    {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit + 1, 65536))
        defer { Wipe.bytes(&chunk) }
        let number = file.number
        while true {
            let count = try checked("read \(path)") {
                unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, $0.count) }
            }
            if count == 0 { break }
            Wipe.append(chunk[..<count], to: &bytes)
            guard bytes.count <= limit else {
                throw SystemError("read \(path)", reason: "it has more than \(limit) bytes")
            }
        }
        return bytes
    }

    /// Writes and syncs a file under a temporary name, renames it, and syncs the folder.
    /// - Parameters:
    ///   - mode: the permission bits, independent of the umask.
    ///   - aside: the temporary name; nil for one that the next write takes again.
    public static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t, aside: String? = nil
    ) throws(SystemError) {
        let temporary = aside ?? path + ".writing"
        do throws(SystemError) {
            try write(bytes, to: path, mode: mode, temporary: temporary)
        } catch {
            // Half of a file with secrets is not left behind. The error is about the write itself.
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    /// Writes and syncs a file as `write` does, but never replaces one. No other file of the folder is touched.
    /// - Throws: ``SystemError`` with `EEXIST` if there is something of that name by then.
    public static func create(_ bytes: [UInt8], at path: String, mode: mode_t) throws(SystemError) {
        var generator = SystemRandomNumberGenerator()
        let temporary = folder(of: path) + "/.coffer-" + String(generator.next(), radix: 36) + ".writing"
        try fill(temporary, bytes, mode)
        do throws(SystemError) {
            try name(temporary, path)
        } catch {
            // Half of a file with secrets is not left behind. The error is about the name itself.
            _ = unsafe unlink(temporary)
            throw error
        }
        do throws(SystemError) { try syncFolder(of: path) } catch {
            // The caller says that nothing was written.
            _ = unsafe unlink(path)
            throw error
        }
    }

    /// Gives a file its name only if that is free.
    private static func name(_ temporary: String, _ path: String) throws(SystemError) {
        if unsafe coffer_rename_new(temporary, path) == 0 { return }
        // Some file systems have hard links, but not this way of renaming.
        guard errno == EINVAL || errno == ENOSYS else { throw SystemError("rename \(temporary)", errno: errno) }
        try checked("link \(temporary)") { unsafe link(temporary, path) }
        try checked("remove \(temporary)") { unsafe unlink(temporary) }
    }

    /// - Throws: ``SystemError`` if no file can be made in the folder of a path, or if the folder cannot be synced
    ///   afterwards, which takes reading it.
    public static func checkFolder(of path: String) throws(SystemError) {
        let folder = folder(of: path)
        try checked("use \(folder)") { unsafe faccessat(AT_FDCWD, folder, R_OK | W_OK | X_OK, AT_EACCESS) }
        guard try FileStatus.of(folder + "/.")?.isFolder == true else {
            throw SystemError("use \(folder)", errno: ENOTDIR)
        }
    }

    private static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t, temporary: String
    ) throws(SystemError) {
        if unsafe unlink(temporary) != 0, errno != ENOENT { throw SystemError("replace \(temporary)", errno: errno) }
        try fill(temporary, bytes, mode)
        try checked("rename \(temporary)") { unsafe rename(temporary, path) }
        try syncFolder(of: path)
    }

    private static func fill(_ temporary: String, _ bytes: [UInt8], _ mode: mode_t) throws(SystemError) {
        let file = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do throws(SystemError) { try fill(file, temporary, bytes, mode) } catch {
            // As above.
            _ = unsafe unlink(temporary)
            throw error
        }
    }

    private static func fill(
        _ file: borrowing Descriptor, _ temporary: String, _ bytes: [UInt8], _ mode: mode_t
    ) throws(SystemError) {
        let number = file.number
        var written = 0
        while written < bytes.count {
            written += try checked("write \(temporary)") {
                unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.write(number, $0.baseAddress! + written, $0.count - written)
                }
            }
        }
        try checked("set the mode of \(temporary)") { fchmod(number, mode) }
        try checked("sync \(temporary)") { fsync(number) }
    }

    /// Renames a synced file and syncs its folder.
    public static func move(_ path: String, to other: String) throws(SystemError) {
        try checked("rename \(path)") { unsafe rename(path, other) }
        try syncFolder(of: other)
    }

    /// Syncs what others have written to a file.
    public static func sync(_ path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW)
        let number = file.number
        try checked("sync \(path)") { fsync(number) }
    }

    /// Syncs the folder of a path, so that the file's name survives a power cut.
    public static func syncFolder(of path: String) throws(SystemError) {
        let folder = folder(of: path)
        let handle = try Descriptor.open(folder, O_RDONLY | O_DIRECTORY)
        let number = handle.number
        try checked("sync \(folder)") { fsync(number) }
    }

    private static func folder(of path: String) -> String {
        // By scalars: a slash with a mark behind it is one character, and no slash to Swift.
        let scalars = path.unicodeScalars
        return scalars.lastIndex(of: "/").map { $0 == scalars.startIndex ? "/" : String(scalars[..<$0]) } ?? "."
    }
}
