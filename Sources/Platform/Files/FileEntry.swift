import Glibc

/// What is at a name in a folder. Links are not followed.
public struct FileEntry: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        case file, folder, link, other
    }

    public let kind: Kind
    /// In bytes.
    public let size: Int64
    public let uid: UInt32
    /// Permission bits.
    public let mode: UInt32
    /// When its content last changed: seconds since 1970-01-01 UTC, and nanoseconds.
    public let modified: (seconds: Int64, nanoseconds: Int64)
    /// Tells this file from every other that exists now.
    public let identity: (device: UInt64, number: UInt64)

    init(_ information: stat) {
        switch information.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        size = Int64(information.st_size)
        uid = information.st_uid
        mode = information.st_mode & 0o7777
        modified = (Int64(information.st_mtim.tv_sec), Int64(information.st_mtim.tv_nsec))
        identity = (UInt64(information.st_dev), UInt64(information.st_ino))
    }

    public static func == (one: FileEntry, other: FileEntry) -> Bool {
        one.kind == other.kind && one.size == other.size && one.uid == other.uid && one.mode == other.mode
            && one.modified == other.modified && one.identity == other.identity
    }
}
