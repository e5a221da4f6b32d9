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
