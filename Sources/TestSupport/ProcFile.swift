import Glibc

/// A file of /proc. Foundation takes a short read for its end, and the kernel gives no more than a page at a time.
public enum ProcFile {
    /// - Returns: nil if the file is not there, or nobody may read it.
    public static func bytes(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }

    /// The same as text. What is no UTF-8 is replaced.
    public static func text(_ path: String) -> String? { bytes(path).map { String(decoding: $0, as: UTF8.self) } }
}
