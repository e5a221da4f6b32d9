import Glibc

/// Gives a user a copy of another account's file that only they can read. For root.
public enum OwnedCopy {
    /// - Parameters:
    ///   - owner: the uid that the file must belong to. A link, or a file with another name beside it, is refused, because whoever made it could
    ///     have any file of the machine copied.
    ///   - path: the copy. It is synced, and never replaces a file.
    /// - Returns: false if there is no such file.
    public static func make(
        of source: String, owner: UInt32, at path: String, for uid: UInt32
    ) throws(SystemError) -> Bool {
        guard try FileStatus.of(source) != nil else { return false }
        let file = try Descriptor.open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let status = try FileStatus(of: file, named: source)
        guard status.isRegular, status.uid == owner, status.links == 1 else {
            throw SystemError("copy \(source)", reason: "it is not a plain file of uid \(owner)")
        }
        let copy = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o400)
        do throws(SystemError) {
            let (from, to) = (file.number, copy.number)
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try checked("read \(source)") {
                    unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(from, $0.baseAddress, $0.count) }
                }
                if count == 0 { break }
                try FileBytes.write(Array(chunk[..<count]), to: to, named: path)
            }
            try checked("give \(path) to uid \(uid)") { fchown(to, uid, gid_t.max) }
            try FileBytes.sync(to, named: path)
            try DurableFile.syncFolder(of: path)
        } catch {
            // Half a copy is of no use, and the next try makes a new one.
            _ = unsafe unlink(path)
            throw error
        }
        return true
    }
}
