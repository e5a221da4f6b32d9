public import Coffer
import Cryptography
import FoundationEssentials
import Platform

extension ProtectedFiles {
    /// Writes a file, whole or not at all. It replaces a protected file of this name. Missing folders are made.
    ///
    /// ```swift
    /// try await files.write(Array(picture), to: "pictures/profile.png")
    /// ```
    /// - Parameters:
    ///   - path: at most 1 KiB, for example `notes/today.json`.
    ///   - access: nil keeps the access control of the file that is replaced. A new file gets `.whenUnlocked`.
    ///   - applicationPassword: the file's own password, exactly if the access control requires one.
    /// - Throws: `.invalidArgument` for a path that cannot be used; `.notPermitted` if a link is in the way; `.damaged` if
    ///   something that is no protected file has the name, or if the file's access control is not known because its key is
    ///   missing; `.cancelled`; `.failed`, for example if the disk is full; and the errors of storing an item.
    public func write(
        _ content: [UInt8], to path: String, access: AccessControl? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) {
        var writer = try await writer(to: path, access: access, applicationPassword: applicationPassword)
        do throws(KeychainError) { try await writer.write(content) } catch {
            await writer.cancel()
            throw error
        }
        try await writer.finish()
    }

    /// Writes a value as JSON. The rest is as for ``write(_:to:access:applicationPassword:)``.
    ///
    /// ```swift
    /// try await files.write(value: Note(title: "Today"), to: "notes/today.json")
    /// ```
    /// - Throws: `.invalidArgument` if the value cannot be encoded, and the errors of writing.
    public func write(
        value: some Encodable, to path: String, access: AccessControl? = nil,
        applicationPassword: String? = nil
    ) async throws(KeychainError) {
        var content: [UInt8]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do { content = Array(try encoder.encode(value)) } catch {
            throw KeychainError(.invalidArgument, "the value cannot be written as JSON")
        }
        defer { Wipe.bytes(&content) }
        try await write(content, to: path, access: access, applicationPassword: applicationPassword)
    }

    /// Writes what a stream gives, in bounded memory. If the stream fails, nothing has changed. The rest is as for
    /// ``write(_:to:access:applicationPassword:)``.
    ///
    /// ```swift
    /// try await files.write(from: download, to: "backup.tar")
    /// ```
    /// - Parameter stream: gives the content in parts of any length.
    /// - Throws: `.source` with the stream's own error, and `.file` with the errors of writing.
    public func write<Stream: AsyncSequence>(
        from stream: Stream, to path: String, access: AccessControl? = nil, applicationPassword: String? = nil
    ) async throws(FileStreamError<Stream.Failure>) where Stream.Element: Collection<UInt8> & Sendable {
        var writer: ProtectedFileWriter
        do throws(KeychainError) {
            writer = try await self.writer(to: path, access: access, applicationPassword: applicationPassword)
        } catch { throw .file(error) }
        var parts = stream.makeAsyncIterator()
        while true {
            let part: Stream.Element?
            do throws(Stream.Failure) { part = try await parts.next(isolation: #isolation) } catch {
                await writer.cancel()
                throw .source(error)
            }
            guard let part else { break }
            do throws(KeychainError) { try await writer.write(part) } catch {
                await writer.cancel()
                throw .file(error)
            }
        }
        do throws(KeychainError) { try await writer.finish() } catch { throw .file(error) }
    }

    /// Begins to write a file a part at a time. It has its name when ``ProtectedFileWriter/finish()`` returns.
    ///
    /// ```swift
    /// var writer = try await files.writer(to: "recording.wav", access: .afterFirstUnlock)
    /// while let samples = await microphone.next() { try await writer.write(samples) }
    /// try await writer.finish()
    /// ```
    /// The parameters and errors are those of ``write(_:to:access:applicationPassword:)``.
    public func writer(
        to path: String, access: AccessControl? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> ProtectedFileWriter {
        try await writer(
            to: try RelativePath(path), access: access, applicationPassword: applicationPassword, replaces: true)
    }

    func writer(
        to path: RelativePath, access: AccessControl?, applicationPassword: String?, replaces: Bool
    ) async throws(KeychainError) -> ProtectedFileWriter {
        let wanted = try access?.checked
        let root = try FileRoot.making(place())
        let state = try FolderState(in: root)
        await sweepIfDue(root, state)
        let writers = try await state.lock(.writers, isShared: true)
        let identity = try await state.identity()
        let access = try await self.access(of: path, wanted: wanted, root)
        let id = try FileID.random()
        let key: SecretBytes
        do throws(CryptographyError) { key = try SecretBytes.random(count: AESGCM.keyCount) } catch {
            throw KeychainError(cryptography: error)
        }
        let name = name(path)
        // The part file comes first, so that the disk is known to take it. The key comes before any content, so that there
        // is never a whole file without its key.
        let part = try PartFile.make(at: path, in: root, state, writers: writers, id: id, key: key, name: name)
        try await keys.store(
            key,
            FileKeyDraft(
                id: id, name: name, root: identity, access: access, applicationPassword: applicationPassword))
        return ProtectedFileWriter(part, keys: keys, replaces: replaces)
    }

    /// The access control of a file that is about to be written. One that exists is never weakened in passing.
    private func access(
        of path: RelativePath, wanted: AccessControl?, _ root: borrowing FileRoot
    ) async throws(KeychainError) -> AccessControl {
        if let wanted { return wanted }
        for _ in 0..<Self.attempts {
            guard let id = try id(of: path, root) else { return .whenUnlocked }
            if let record = try await keys.record(of: id) {
                guard record.path.utf8.elementsEqual(path.text.utf8) else { throw .damagedFile }
                return record.access
            }
            // Somebody else may have replaced the file meanwhile. Otherwise nothing says who may read it.
            if try self.id(of: path, root) == id { break }
        }
        throw KeychainError(
            .damaged, "the key of \(path.text) is missing, so its access control is not known",
            advice:
                "keep the file until the vault that has its key is restored; to replace it all the same, name an access control"
        )
    }

    /// - Returns: nil if there is no file.
    private func id(of path: RelativePath, _ root: borrowing FileRoot) throws(KeychainError) -> FileID? {
        let beginning: FileFormat.Beginning?
        do throws(SystemError) {
            beginning = try FileRoot.beginning(of: path.last, in: try root.parent(of: path))
        } catch {
            if error.isMissing { return nil }
            throw KeychainError(file: error)
        }
        switch beginning {
        case nil: return nil
        case .file(let id): return id
        case .foreign, .otherVersion: throw .foreignFile(path.text)
        }
    }
}

/// Why a stream could not be written to a protected file.
///
/// ```swift
/// do { try await files.write(from: download, to: "picture.png") } catch {
///     if case .source(let reason) = error { print("the download failed: \(reason)") }
/// }
/// ```
public enum FileStreamError<Source: Error>: Error {
    /// The stream failed. The file is as it was before.
    case source(Source)
    /// The file could not be written.
    case file(KeychainError)
}

extension FileStreamError: LocalizedError {
    /// What happened, in words for a person.
    public var errorDescription: String? {
        switch self {
        case .source(let reason): (reason as? any LocalizedError)?.errorDescription ?? "the stream could not be read"
        case .file(let error): error.message
        }
    }

    /// What to do about it.
    public var recoverySuggestion: String? {
        switch self {
        case .source(let reason): (reason as? any LocalizedError)?.recoverySuggestion
        case .file(let error): error.recoverySuggestion
        }
    }
}
