import Authorization
import Cryptography
import Platform

/// One digest of all that fprintd stores of a user's fingers (docs/vault-format.md, "The digest of the enrolled fingers"). Adding, removing or
/// re-enrolling a finger changes the digest.
struct TemplateSet: Sendable {
    let directory: String
    let user: String
    /// The only user who may have written the files: root, except in a sandbox.
    let owner: UInt32

    /// What is stored at one moment. Two equal looks show that nothing was stored or removed in between, not even for a moment. Each such step sets
    /// the time of a folder.
    struct Look: Sendable, Equatable {
        /// nil if nothing is stored of this user.
        let digest: [UInt8]?
        /// By their paths in the user's folder: numbers, times of change and so on.
        let entries: [String: FileStatus]
    }

    /// The digest, 32 bytes.
    /// - Returns: nil if nothing is stored of this user.
    /// - Throws: ``BiometryObstacle/storage(_:)`` if others than root could have written there, for anything but plain files, and for too much data.
    func digest() throws(BiometryObstacle) -> [UInt8]? { try look().digest }

    /// - Throws: ``BiometryObstacle/storage(_:)``, as for the digest.
    func look() throws(BiometryObstacle) -> Look {
        var walk = Walk()
        let digest = try digest(&walk)
        return Look(digest: digest, entries: walk.entries)
    }

    private func digest(_ walk: inout Walk) throws(BiometryObstacle) -> [UInt8]? {
        guard !user.isEmpty, user != ".", user != "..", !user.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
            throw .storage("the user's name cannot be a folder's name")
        }
        do {
            guard let status = try FileStatus.of("\(directory)/\(user)") else { return nil }
            try check(status, user)
            try collect("", depth: 0, &walk)
            if walk.files.isEmpty { return nil }
            var parts = [Array("org.coffer.biometry-set".utf8), [1]]
            for (path, digest) in walk.files.sorted(by: { $0.path.lexicographicallyPrecedes($1.path) }) {
                parts += [path, digest]
            }
            return try SHA256.digest(LengthPrefixed.encode(parts))
        } catch let obstacle as BiometryObstacle {
            throw obstacle
        } catch {
            throw .storage("\(error)")
        }
    }

    private struct Walk {
        var files: [(path: [UInt8], digest: [UInt8])] = []
        /// Folders have a slash at their end.
        var entries: [String: FileStatus] = [:]
        var count = 0
        var bytes = 0
    }

    /// - Parameter folder: a relative path with a slash at its end; empty for the user's own folder.
    private func collect(_ folder: String, depth: Int, _ walk: inout Walk) throws {
        guard depth <= BiometryLimits.depth else {
            throw BiometryObstacle.storage("folders are nested too deeply")
        }
        // Before its names are read, so that a later change is another time.
        walk.entries[folder] = try FileStatus.of("\(directory)/\(user)/\(folder)")
        for name in try Folder.entries("\(directory)/\(user)/\(folder)") {
            walk.count += 1
            guard walk.count <= BiometryLimits.files else {
                throw BiometryObstacle.storage("there are more than \(BiometryLimits.files) files")
            }
            let relative = folder + name
            let path = "\(directory)/\(user)/\(relative)"
            guard let status = try FileStatus.of(path) else {
                throw BiometryObstacle.storage("they are changing now", advice: "try again")
            }
            try check(status, relative)
            guard status.isRegular else {
                try collect(relative + "/", depth: depth + 1, &walk)
                continue
            }
            walk.entries[relative] = status
            let content = try DurableFile.read(path, limit: BiometryLimits.file)
            walk.bytes += content.count
            guard walk.bytes <= BiometryLimits.all else {
                throw BiometryObstacle.storage("there are more than \(BiometryLimits.all >> 20) MiB")
            }
            walk.files.append((Array(relative.utf8), try SHA256.digest(content)))
        }
    }

    private func check(_ status: FileStatus, _ name: String) throws(BiometryObstacle) {
        let shown = EscapedText.quoted(name, limit: PromptLimits.template)
        guard status.isRegular || status.isFolder else { throw .storage("\(shown) is neither a file nor a folder") }
        guard status.uid == owner, status.mode & 0o022 == 0 else {
            throw .storage("users other than uid \(owner) could have written \(shown)")
        }
    }
}
