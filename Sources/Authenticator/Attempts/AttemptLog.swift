import FoundationEssentials
import Platform

/// The failures of each user, in a file of his own: one user's guessing slows down nobody else, and no account is ever locked.
struct AttemptLog {
    let directory: String
    let uid: UInt32

    /// - Throws: ``Ending`` where the folder cannot be written: without the count there is no try.
    init(registryDirectory: String, uid: UInt32) throws(Ending) {
        directory = "\(registryDirectory)/attempts"
        self.uid = uid
        do throws(SystemError) {
            try Folder.make(directory, mode: 0o700)
        } catch {
            throw .refused(.misconfigured("The authenticator \(error)."))
        }
    }

    /// Counts a try; see ``AttemptRecord/admit(at:)``.
    func admit() throws(Ending) -> Duration {
        var wait: Int64 = 0
        try update { wait = $0.admit(at: Self.now()) }
        return .milliseconds(wait)
    }

    func withdraw() throws(Ending) { try update { $0.withdraw() } }

    func succeed() throws(Ending) { try update { $0 = AttemptRecord() } }

    private func update(_ change: (inout AttemptRecord) -> Void) throws(Ending) {
        do {
            let lock = try FileLock(path: "\(directory)/\(uid).lock")
            defer { lock.keep() }
            let path = "\(directory)/\(uid).json"
            var record = AttemptRecord()
            if try FileStatus.of(path) != nil {
                let bytes = try DurableFile.read(path, limit: 4096)
                // What cannot be read counts as failures: wiping the count by damaging it must not pay.
                record =
                    (try? JSONDecoder().decode(AttemptRecord.self, from: Data(bytes)))
                    ?? AttemptRecord(failures: AttemptRecord.free, last: Self.now(), admitted: 0)
            }
            change(&record)
            try DurableFile.write(Array(JSONEncoder().encode(record)), to: path, mode: 0o600)
        } catch {
            throw .refused(.misconfigured("The authenticator cannot count tries: \(error)."))
        }
    }

    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
