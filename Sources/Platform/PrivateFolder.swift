import Glibc

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
