import Glibc

/// Makes and lists folders.
public enum Folder {
    /// Makes a folder unless it exists. Its parent must exist.
    /// - Parameter mode: the permission bits of a new folder, independent of the umask.
    public static func make(_ path: String, mode: mode_t) throws(SystemError) {
        guard unsafe mkdir(path, mode) == 0 else {
            if errno == EEXIST { return }
            throw SystemError("make the folder \(path)", errno: errno)
        }
        try checked("set the mode of \(path)") { unsafe chmod(path, mode) }
        try DurableFile.syncFolder(of: path)
    }
}

extension Folder {
    /// The names in a folder, without `.` and `..`, in no particular order.
    public static func entries(_ path: String) throws(SystemError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw SystemError("read the folder \(path)", errno: errno) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// A new folder that only its owner can enter. It is removed with its files when this value ends.
public struct PrivateFolder: ~Copyable, Sendable {
    public let path: String

    /// - Parameter parent: the folder in which it is made.
    public init(in parent: String, prefix: String) throws(SystemError) {
        var template = Array("\(parent)/\(prefix).XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe mkdtemp(buffer.baseAddress!) != nil
        }
        guard made else { throw SystemError("make a folder in \(parent)", errno: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        // If something cannot be removed, the system tidies it up later. There is nobody to tell.
        for name in (try? Folder.entries(path)) ?? [] { try? FileRemoval.remove("\(path)/\(name)") }
        unsafe rmdir(path)
    }
}
