import CLinux
import Glibc

/// A private folder in memory: on tmpfs or ramfs, so that no disk has what is written there. (The kernel may swap it out, as any process's memory.)
public enum MemoryFolder {
    /// Whether what is written there is on no disk. A folder that cannot be examined counts as one on a disk.
    public static func isInMemory(_ folder: String) -> Bool { unsafe coffer_is_in_memory(folder) == 1 }

    /// Makes a new folder that only this user can enter.
    /// - Parameter parents: folders to try in turn. One that is not in memory is passed over.
    /// - Returns: the new folder's path; nil if no parent serves.
    public static func make(_ name: String, in parents: [String]) throws(SystemError) -> String? {
        for parent in parents where isInMemory(parent) {
            let path = "\(parent)/\(name)"
            // Fails if anything is there already, even a link.
            guard unsafe mkdir(path, 0o700) == 0 else { continue }
            guard let status = try FileStatus.of(path), status.isFolder, status.uid == geteuid() else { continue }
            return path
        }
        return nil
    }

    /// Writes a new file that only this user can read.
    public static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do throws(SystemError) {
            var written = 0
            while written < bytes.count {
                written += try checked("write \(path)") {
                    unsafe bytes.withUnsafeBytes {
                        unsafe Glibc.write(file.number, $0.baseAddress! + written, $0.count - written)
                    }
                }
            }
        } catch {
            // Half of a secret is of no use. The error is about the write itself.
            _ = unsafe unlink(path)
            throw error
        }
    }

    /// Reads a regular file of this user.
    /// - Returns: nil if there is none.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
        guard let status = try FileStatus.of(path), status.isRegular, status.uid == geteuid() else { return nil }
        return try DurableFile.read(path, limit: limit)
    }
}
