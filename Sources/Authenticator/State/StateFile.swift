import JSON
import Platform

/// State of one user that the authenticator's processes share. Each uid has a file that only the authenticator's user can read, changed under a lock.
/// The kernel gives the uid that names the file; no client can influence it.
struct StateFile<Content: JSONValue & Equatable> {
    let directory: String
    let uid: UInt32
    /// The content if there is no file.
    let nothing: Content

    init(registryDirectory: String, folder: String, uid: UInt32, nothing: Content) throws(SystemError) {
        directory = "\(registryDirectory)/\(folder)"
        self.uid = uid
        self.nothing = nothing
        try Folder.make(directory, mode: 0o700)
    }

    /// Reads, changes and writes the file under one lock.
    func update<Value>(_ change: (inout Content) -> Value) throws(SystemError) -> Value {
        let lock = try FileLock(path: "\(directory)/\(uid).lock")
        defer { lock.keep() }
        let path = "\(directory)/\(uid).json"
        let before = try read(path)
        var content = before ?? nothing
        let value = change(&content)
        if content == nothing {
            try FileRemoval.remove(path)
        } else if content != before {
            try DurableFile.write(JSONWriter.bytes(of: content), to: path, mode: 0o600)
        }
        return value
    }

    /// - Returns: nil if there is no file, or if it cannot be decoded. Nothing is known then, and every person is asked.
    private func read(_ path: String) throws(SystemError) -> Content? {
        guard let status = try FileStatus.of(path) else { return nil }
        guard status.isRegular, status.uid == OwnProcess.effectiveUser, status.mode & 0o077 == 0 else {
            throw SystemError("use \(path)", reason: "it must be a file of the authenticator's user, with mode 0600")
        }
        // `try?`: content that cannot be decoded counts as missing.
        return try? JSONReader.readValue(Content.self, from: DurableFile.read(path, limit: FileLimits.state))
    }
}
