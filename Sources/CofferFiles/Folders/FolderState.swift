import Coffer
import FoundationEssentials
import Glibc
import Platform

/// The library's own folder in a directory of protected files: locks, part files, and the directory's id.
struct FolderState: ~Copyable, Sendable {
    let folder: ConfinedFolder

    init(in root: borrowing FileRoot) throws(KeychainError) {
        folder = try filing { () throws(SystemError) in try root.folder.folderMakingIt(RelativePath.reserved) }
    }

    /// The locks of a directory.
    enum Lock: String {
        /// Who writes or deletes a file shares it. A sweep takes it alone.
        case writers
        /// Held alone while a file gets its name or loses it.
        case names
    }

    /// How long a lock is waited for. Nobody holds `names` for longer than a few system calls, but an application may
    /// write one file for hours.
    static let patience = Duration.seconds(20)

    /// Waits for a lock without keeping a thread.
    /// - Throws: `.cancelled`; `.failed` if it takes too long.
    func lock(_ lock: Lock, isShared: Bool = false) async throws(KeychainError) -> FolderLock {
        let deadline = ContinuousClock.now + Self.patience
        var pause = Duration.milliseconds(1)
        while true {
            if let held = try tryLock(lock, isShared: isShared) { return held }
            guard ContinuousClock.now < deadline else {
                throw KeychainError(
                    .failed, "the directory is in use", advice: "end what writes to it, then try again")
            }
            do { try await Task.sleep(for: pause) } catch { throw .cancelledTask }
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    /// - Returns: nil if others hold the lock.
    func tryLock(_ lock: Lock, isShared: Bool = false) throws(KeychainError) -> FolderLock? {
        try filing { () throws(SystemError) in try folder.lock(lock.rawValue, isShared: isShared) }
    }

    /// The name of the file that becomes the file with this id.
    static func part(_ id: FileID) -> String { id.hexadecimal + ".part" }

    private static let idName = "id"

    /// The directory's id. It is made at the first use.
    func identity() async throws(KeychainError) -> FileID {
        if let id = try readIdentity() { return id }
        let names = try await lock(.names)
        defer { names.keep() }
        // Somebody else may have made it meanwhile.
        if let id = try readIdentity() { return id }
        let id = try FileID.random()
        try filing { () throws(SystemError) in
            let part = Self.idName + ".new"
            try folder.remove(part)
            let file = try folder.makeFile(part)
            try file.write(Array((id.hexadecimal + "\n").utf8))
            try file.sync()
            try folder.rename(part, to: folder, Self.idName)
            try folder.sync()
        }
        return id
    }

    /// - Returns: nil if there is none yet, or if it is not one.
    private func readIdentity() throws(KeychainError) -> FileID? {
        do throws(SystemError) {
            let text = String(decoding: try folder.file(Self.idName).read(2 * FileID.count + 2), as: UTF8.self)
            return text.hasSuffix("\n") ? FileID(hexadecimal: text.dropLast()) : nil
        } catch {
            if error.isMissing { return nil }
            throw KeychainError(file: error)
        }
    }
}

extension KeychainError {
    /// The task that called was cancelled.
    static var cancelledTask: KeychainError { KeychainError(.cancelled, "cancelled") }
}
