import Glibc

/// A regular file that is read or written from its beginning.
public struct SequentialFile: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let path: String

    init(_ descriptor: consuming Descriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// The descriptor's number. The file still owns it.
    public var number: Int32 { descriptor.number }

    public func entry() throws(SystemError) -> FileEntry {
        var information = stat()
        let number = descriptor.number
        try checked("look at \(path)") { unsafe fstat(number, &information) }
        return FileEntry(information)
    }

    /// Gives the file to another user. Only root can.
    public func give(to uid: UInt32) throws(SystemError) {
        let number = descriptor.number
        try checked("give away \(path)") { fchown(number, uid, gid_t.max) }
    }

    /// Reads on.
    /// - Returns: `count` bytes, or fewer if the end comes first.
    public func read(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        let number = descriptor.number
        while filled < count {
            let more = try checked("read \(path)") {
                unsafe bytes.withUnsafeMutableBytes {
                    unsafe Glibc.read(number, $0.baseAddress! + filled, $0.count - filled)
                }
            }
            if more == 0 { break }
            filled += more
        }
        if filled < count { bytes.removeLast(count - filled) }
        return bytes
    }

    /// Writes on.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        try FileBytes.write(bytes, to: descriptor.number, named: path)
    }

    /// Syncs the file. Everything written before then survives a power cut. This may take as long as the disk needs.
    public func sync() throws(SystemError) {
        try FileBytes.sync(descriptor.number, named: path)
    }
}

/// Writes to a descriptor that somebody else owns.
public enum FileBytes {
    /// Syncs a file.
    public static func sync(_ number: Int32, named name: String) throws(SystemError) {
        try checked("sync \(name)") { fsync(number) }
    }

    /// Writes all bytes, and waits for a slow reader as long as it takes.
    public static func write(_ bytes: [UInt8], to number: Int32, named name: String) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(number, $0.baseAddress! + written, $0.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                guard unsafe poll(&entry, 1, -1) >= 0 || errno == EINTR else {
                    throw SystemError("write \(name)", errno: errno)
                }
            } else if errno != EINTR {
                throw SystemError("write \(name)", errno: errno)
            }
        }
    }
}
