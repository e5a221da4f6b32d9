import CLinux
import Glibc

/// A file that grows only at its end, as long as nobody else changes it. The caller can check its size.
public struct AppendFile: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let path: String

    /// Opens a regular file that exists.
    public init(path: String) throws(SystemError) {
        descriptor = try Descriptor.open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
        self.path = path
    }

    /// The file's size in bytes; nil if it has lost its name or is no regular file.
    public func size() throws(SystemError) -> Int? {
        var information = stat()
        let number = descriptor.number
        try checked("look at \(path)") { unsafe fstat(number, &information) }
        guard information.st_mode & S_IFMT == S_IFREG, information.st_nlink > 0 else { return nil }
        return Int(information.st_size)
    }

    /// Writes at the end: all bytes, or none if the disk is full.
    /// - Parameter size: the file's size before this call.
    public func append(_ bytes: [UInt8], to size: Int) throws(SystemError) {
        let number = descriptor.number
        var written = 0
        do throws(SystemError) {
            while written < bytes.count {
                written += try checked("write \(path)") {
                    unsafe bytes.withUnsafeBytes {
                        unsafe Glibc.write(number, $0.baseAddress! + written, $0.count - written)
                    }
                }
            }
        } catch {
            if written > 0 { try cut(to: size) }
            throw error
        }
    }

    /// Cuts the file to this size in bytes.
    public func cut(to size: Int) throws(SystemError) {
        let number = descriptor.number
        try checked("shorten \(path)") { ftruncate(number, off_t(size)) }
    }

    /// Syncs the file. Everything written before then survives a power cut.
    public func sync() throws(SystemError) {
        let number = descriptor.number
        try checked("sync \(path)") { fdatasync(number) }
    }
}
