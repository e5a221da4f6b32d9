import CLinux
import Glibc

/// A folder that is held open. What it holds is named by single names, and no symbolic link is followed. So nobody leads
/// the caller out of the folder by exchanging a part of a path.
///
/// A name must not be empty, hold `/` or a zero byte, or be `.` or `..`; otherwise the call fails with `EINVAL`.
public struct ConfinedFolder: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let path: String

    /// Opens a folder that the caller trusts. Links in this path are followed.
    public init(path: String) throws(SystemError) {
        descriptor = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
        self.path = path
    }

    private init(_ descriptor: consuming Descriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// The same folder, held open once more.
    public func again() throws(SystemError) -> ConfinedFolder {
        ConfinedFolder(try open(".", O_RDONLY | O_DIRECTORY, checks: false), path: path)
    }

    /// The folder itself.
    public func entry() throws(SystemError) -> FileEntry {
        var information = stat()
        let number = descriptor.number
        try checked("look at \(path)") { unsafe fstat(number, &information) }
        return FileEntry(information)
    }

    /// - Returns: nil if nothing has this name.
    public func entry(_ name: String) throws(SystemError) -> FileEntry? {
        try Self.check(name)
        var information = stat()
        guard unsafe fstatat(descriptor.number, name, &information, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw SystemError("look at \(path)/\(name)", errno: errno)
        }
        return FileEntry(information)
    }

    /// Opens a folder in this one.
    /// - Throws: `ENOENT` if it is missing, `ENOTDIR` if it is a link or no folder.
    public func folder(_ name: String) throws(SystemError) -> ConfinedFolder {
        ConfinedFolder(try open(name, O_RDONLY | O_DIRECTORY), path: "\(path)/\(name)")
    }

    /// Opens a folder in this one, and makes it with mode 0700 if it is missing.
    public func folderMakingIt(_ name: String) throws(SystemError) -> ConfinedFolder {
        let isNew = try makeFolder(name)
        let folder = try folder(name)
        if isNew {
            let number = folder.descriptor.number
            // The umask may have taken more away.
            try checked("set the mode of \(path)/\(name)") { fchmod(number, 0o700) }
            try sync()
        }
        return folder
    }

    /// Makes a folder with mode 0700, less what the umask takes away.
    /// - Returns: false if anything has this name.
    public func makeFolder(_ name: String) throws(SystemError) -> Bool {
        try Self.check(name)
        if unsafe mkdirat(descriptor.number, name, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw SystemError("make the folder \(path)/\(name)", errno: errno) }
        return false
    }

    /// Gives the folder itself to another user. Only root can.
    ///
    /// Who owns the folder above may have put another folder in the place of the one that was made. So only an empty
    /// folder of the caller's own is given away.
    /// - Throws: `EPERM` if it is another user's, `ENOTEMPTY` if it holds anything.
    public func give(to uid: UInt32) throws(SystemError) {
        guard try entry().uid == geteuid() else { throw SystemError("give away \(path)", errno: EPERM) }
        // `.` and `..` take a place each.
        var budget = 3
        guard try names(within: &budget)?.isEmpty == true else {
            throw SystemError("give away \(path)", errno: ENOTEMPTY)
        }
        let number = descriptor.number
        try checked("give away \(path)") { fchown(number, uid, gid_t.max) }
    }

    /// Opens a regular file to read it.
    /// - Throws: `ENOENT` if it is missing, `ELOOP` if it is a link, `EINVAL` if it is anything else but a file.
    public func file(_ name: String) throws(SystemError) -> SequentialFile {
        // A pipe in the file's place would make opening wait.
        let file = SequentialFile(try open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY), path: "\(path)/\(name)")
        guard try file.entry().kind == .file else { throw SystemError("open \(path)/\(name)", errno: EINVAL) }
        return file
    }

    /// Makes a file with mode 0600 to write it.
    /// - Parameter setsMode: false for a file system that may keep no modes. The umask may then take more away.
    /// - Throws: `EEXIST` if anything has this name.
    public func makeFile(_ name: String, setsMode: Bool = true) throws(SystemError) -> SequentialFile {
        let made = try open(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        let number = made.number
        if setsMode { try checked("set the mode of \(path)/\(name)") { fchmod(number, 0o600) } }
        return SequentialFile(made, path: "\(path)/\(name)")
    }

    /// Gives a file another name, in this folder or another one. A file that had that name is replaced.
    public func rename(_ name: String, to other: borrowing ConfinedFolder, _ newName: String) throws(SystemError) {
        try Self.check(name)
        try Self.check(newName)
        let (from, to) = (descriptor.number, other.descriptor.number)
        try checked("rename \(path)/\(name)") { unsafe renameat(from, name, to, newName) }
    }

    /// Removes a file or a link. A missing one is no error.
    public func remove(_ name: String) throws(SystemError) {
        try Self.check(name)
        guard unsafe unlinkat(descriptor.number, name, 0) == 0 || errno == ENOENT else {
            throw SystemError("remove \(path)/\(name)", errno: errno)
        }
    }

    /// Removes an empty folder. A missing one is no error.
    public func removeFolder(_ name: String) throws(SystemError) {
        try Self.check(name)
        guard unsafe unlinkat(descriptor.number, name, AT_REMOVEDIR) == 0 || errno == ENOENT else {
            throw SystemError("remove the folder \(path)/\(name)", errno: errno)
        }
    }

    /// The names in the folder, without `.` and `..`, in no particular order. Names that are not UTF-8 are left out.
    public func names() throws(SystemError) -> [String] {
        var (budget, others) = (Int.max, 0)
        return try names(within: &budget, others: &others) ?? []
    }

    /// As ``names()``, and how many names there are that are not UTF-8.
    public func namesAndOthers() throws(SystemError) -> (names: [String], others: Int) {
        var (budget, others) = (Int.max, 0)
        let names = try names(within: &budget, others: &others) ?? []
        return (names, others)
    }

    /// The names in a folder that somebody else may have filled.
    /// - Parameter budget: how many entries may be read. Each one takes one, also `.`, `..` and a name that is left out.
    /// - Returns: nil once the budget is used up.
    public func names(within budget: inout Int) throws(SystemError) -> [String]? {
        var others = 0
        return try names(within: &budget, others: &others)
    }

    private func names(within budget: inout Int, others: inout Int) throws(SystemError) -> [String]? {
        let number = try open(".", O_RDONLY | O_DIRECTORY, checks: false).release()
        guard let stream = unsafe fdopendir(number) else {
            let code = errno
            close(number)
            throw SystemError("read the folder \(path)", errno: code)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw SystemError("read the folder \(path)", errno: errno) }
                return names
            }
            guard budget > 0 else { return nil }
            budget -= 1
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name else {
                others += 1
                continue
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Syncs the folder. Names that were given or removed before then survive a power cut.
    public func sync() throws(SystemError) {
        let number = descriptor.number
        try checked("sync \(path)") { fsync(number) }
    }

    /// Tries to take a lock between processes, held on a file of its own (flock(2)). It never waits.
    /// - Returns: nil if the lock is held in a way that excludes this one.
    public func lock(_ name: String, isShared: Bool) throws(SystemError) -> FolderLock? {
        let file = try open(name, O_RDWR | O_CREAT, mode: 0o600)
        while flock(file.number, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            guard errno == EINTR else { throw SystemError("lock \(path)/\(name)", errno: errno) }
        }
        return FolderLock(file)
    }

    private func open(
        _ name: String, _ flags: Int32, mode: mode_t = 0, checks: Bool = true
    ) throws(SystemError) -> Descriptor {
        if checks { try Self.check(name) }
        let number = descriptor.number
        return Descriptor(
            adopting: try checked("open \(path)/\(name)") {
                unsafe coffer_openat(number, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
            })
    }

    private static func check(_ name: String) throws(SystemError) {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0 || $0 == 0x2F }) else {
            throw SystemError("use the name \(name)", errno: EINVAL)
        }
    }
}

/// A lock between processes. It is released when the value or its process ends.
public struct FolderLock: ~Copyable, Sendable {
    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// Marks the last point that needs the lock. Swift may destroy a value before its scope ends, once it is no longer used.
    public borrowing func keep() {}
}
