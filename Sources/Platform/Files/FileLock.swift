import CLinux
import Glibc

/// An exclusive lock between processes, held on a file of its own (flock(2)). It is released when the value or its process ends.
public struct FileLock: ~Copyable {
    private let descriptor: Descriptor

    /// Waits for the lock. Other holders keep it only for a few file operations.
    public init(path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let number = file.number
        try checked("lock \(path)") { flock(number, LOCK_EX) }
        descriptor = file
    }

    /// Takes the lock, unless another process holds it.
    public init?(unlessHeld path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw SystemError("lock \(path)", errno: errno)
        }
        descriptor = file
    }

    /// Takes the lock on a file of this folder, unless another holder has it.
    ///
    /// The file's name is looked at once more under the lock. Somebody may have removed the file in between, and then others lock another one.
    /// - Parameter mode: the permission bits of a new file, independent of the umask.
    public init?(unlessHeld name: String, in folder: borrowing OpenFolder, mode: mode_t) throws(SystemError) {
        let file: Descriptor
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK
        if let existing = try folder.open(name, flags) {
            file = existing
        } else {
            // If another process makes it first, the caller tries again.
            guard let made = try folder.makeNew(name, flags) else { return nil }
            let number = made.number
            try checked("set the mode of \(folder.path)/\(name)") { fchmod(number, mode) }
            file = made
        }
        let number = file.number
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw SystemError("lock \(folder.path)/\(name)", errno: errno)
        }
        let path = "\(folder.path)/\(name)"
        let (held, named) = (try FileStatus(of: file, named: path), try FileStatus.of(path))
        guard held.inode == named?.inode, held.device == named?.device else { return nil }
        guard held.isRegular else { throw SystemError("lock \(path)", reason: "it is no regular file") }
        descriptor = file
    }

    /// Marks the last point that needs the lock. Swift may destroy a value before its scope ends, once it is no longer used.
    public borrowing func keep() {}
}

/// A shared lock on one byte of a file (fcntl(2), open file description locks). It shows other processes who takes part in something. Several may
/// hold the same place. The lock is released when the value or its process ends.
public struct SharedLock: ~Copyable {
    private let descriptor: Descriptor
    private let path: String
    private let place: Int32

    /// - Parameter place: not negative. All that give the same number share the place.
    public init(path: String, place: Int32) throws(SystemError) {
        let file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let number = file.number
        try checked("lock \(path)") { coffer_lock_shared(number, off_t(place)) }
        descriptor = file
        self.path = path
        self.place = place
    }

    /// Whether anybody holds another place now.
    public borrowing func isHeldElsewhere() throws(SystemError) -> Bool {
        let number = descriptor.number
        return try checked("find out who has locked \(path)") { coffer_locked_elsewhere(number, off_t(place)) } != 0
    }
}

/// A table of numbered places that processes take. Each place is a lock on one byte of a file (fcntl(2), open file description locks). A value's
/// places are released when the value or its process ends.
public struct PlaceLocks: ~Copyable {
    private let descriptor: Descriptor
    private let path: String

    /// - Parameter path: a file that is made if it does not exist. Its content is not used.
    public init(path: String) throws(SystemError) {
        descriptor = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        self.path = path
    }

    /// Waits for a place and takes it for this value alone. Places taken this way are held only for a few calls.
    public borrowing func wait(for place: Int64) throws(SystemError) {
        let number = descriptor.number
        try checked("lock \(path)") { coffer_lock_places(number, off_t(place), 1, 0, 1) }
    }

    /// Takes the first of these places that nobody else holds.
    /// - Returns: nil if all are held.
    public borrowing func takeFirst(of places: Range<Int64>) throws(SystemError) -> Int64? {
        for place in places {
            if coffer_lock_places(descriptor.number, off_t(place), 1, 0, 0) == 0 { return place }
            guard errno == EAGAIN || errno == EACCES else { throw SystemError("lock \(path)", errno: errno) }
        }
        return nil
    }

    /// Takes a place that others may share.
    /// - Returns: false if another holder has it alone.
    public borrowing func share(_ place: Int64) throws(SystemError) -> Bool {
        if coffer_lock_places(descriptor.number, off_t(place), 1, 1, 0) == 0 { return true }
        guard errno == EAGAIN || errno == EACCES else { throw SystemError("lock \(path)", errno: errno) }
        return false
    }

    public borrowing func giveUp(_ place: Int64) throws(SystemError) {
        let number = descriptor.number
        try checked("unlock \(path)") { coffer_unlock_places(number, off_t(place), 1) }
    }

    /// Whether anybody else holds one of these places now.
    public borrowing func isHeld(_ places: Range<Int64>) throws(SystemError) -> Bool {
        guard !places.isEmpty else { return false }
        let number = descriptor.number
        return try checked("find out who has locked \(path)") {
            coffer_places_locked(number, off_t(places.lowerBound), off_t(places.upperBound - places.lowerBound))
        } != 0
    }

    /// Marks the last point that needs the places. Swift may destroy a value before its scope ends, once it is no longer used.
    public borrowing func keep() {}
}
