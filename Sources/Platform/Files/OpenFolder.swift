import CLinux
import Glibc

/// An open folder. Its files are reached by their names in it, so nobody can exchange a part of the path meanwhile.
public struct OpenFolder: ~Copyable, Sendable {
    public let path: String
    let descriptor: Descriptor

    /// Opens a folder. A symbolic link in its place is refused.
    public init(_ path: String) throws(SystemError) {
        descriptor = try Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        self.path = path
    }

    /// Owner and permissions of the folder that is open.
    public borrowing func status() throws(SystemError) -> FileStatus {
        try FileStatus(of: descriptor, named: path)
    }

    /// Reads a whole file. Nothing is read before `check` has accepted it, and no link is followed.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that it may have.
    ///   - check: judges the file that is open, whoever exchanges its name meanwhile.
    /// - Returns: nil if nothing has this name.
    public borrowing func read<Failure: Error>(
        _ name: String, limit: Int, failure: (SystemError) -> Failure,
        check: (FileStatus) throws(Failure) -> Void
    ) throws(Failure) -> (bytes: [UInt8], status: FileStatus)? {
        let file: Descriptor
        do throws(SystemError) {
            // Without O_NONBLOCK a pipe in its place would hold the caller up.
            guard let opened = try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
            file = opened
        } catch { throw failure(error) }
        let status: FileStatus
        do throws(SystemError) { status = try FileStatus(of: file, named: "\(path)/\(name)") } catch {
            throw failure(error)
        }
        try check(status)
        do throws(SystemError) {
            return (try DurableFile.read(file, named: "\(path)/\(name)", limit: limit), status)
        } catch { throw failure(error) }
    }

    /// Replaces a file, or makes it. It exists whole or not at all, even after a power cut. Callers keep each other out by a lock.
    ///
    /// - Parameters:
    ///   - mode: the permission bits, independent of the umask.
    ///   - former: the file that is replaced. The new one's time of change is later, even within one tick of the clock.
    /// - Returns: the new file.
    public borrowing func replace(
        _ name: String, with bytes: [UInt8], mode: mode_t, former: FileStatus?
    ) throws(SystemError) -> FileStatus {
        let temporary = ".\(name).writing"
        try remove(temporary)
        guard let file = try open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600) else {
            throw SystemError("make \(path)/\(temporary)", errno: ENOENT)
        }
        do throws(SystemError) {
            try fill(file, temporary, with: bytes, mode: mode, former: former)
            try rename(temporary, to: name)
        } catch {
            // Half of a file with secrets is not left behind. The error is about the write itself.
            _ = unsafe unlinkat(descriptor.number, temporary, 0)
            throw error
        }
        return try FileStatus(of: file, named: "\(path)/\(name)")
    }

    private borrowing func fill(
        _ file: borrowing Descriptor, _ temporary: String, with bytes: [UInt8], mode: mode_t, former: FileStatus?
    ) throws(SystemError) {
        let number = file.number
        let path = "\(path)/\(temporary)"
        var written = 0
        while written < bytes.count {
            written += try checked("write \(path)") {
                unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.write(number, $0.baseAddress! + written, $0.count - written)
                }
            }
        }
        try checked("set the mode of \(path)") { fchmod(number, mode) }
        if let former, try FileStatus(of: file, named: temporary).changed <= former.changed {
            let next = former.changed.successor
            try checked("set the time of \(path)") { coffer_set_changed(number, next.seconds, next.nanoseconds) }
        }
        try checked("sync \(path)") { fsync(number) }
    }

    /// Renames a file of this folder, and syncs the folder.
    public borrowing func rename(_ name: String, to other: String) throws(SystemError) {
        let folder = descriptor.number
        try checked("rename \(path)/\(name)") { unsafe renameat(folder, name, folder, other) }
        try checked("sync \(path)") { fsync(folder) }
    }

    /// Removes a file. A missing one is no error.
    public borrowing func remove(_ name: String) throws(SystemError) {
        if unsafe unlinkat(descriptor.number, name, 0) != 0, errno != ENOENT {
            throw SystemError("remove \(path)/\(name)", errno: errno)
        }
    }

    /// - Returns: nil if nothing has this name.
    borrowing func open(_ name: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Descriptor? {
        let number = unsafe coffer_open_in(descriptor.number, name, flags | O_CLOEXEC, mode)
        if number < 0 {
            if errno == ENOENT { return nil }
            throw SystemError("open \(path)/\(name)", errno: errno)
        }
        return Descriptor(adopting: number)
    }

    /// - Returns: nil if the name is taken.
    borrowing func makeNew(_ name: String, _ flags: Int32) throws(SystemError) -> Descriptor? {
        let number = unsafe coffer_open_in(descriptor.number, name, flags | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if number < 0 {
            if errno == EEXIST { return nil }
            throw SystemError("make \(path)/\(name)", errno: errno)
        }
        return Descriptor(adopting: number)
    }
}
