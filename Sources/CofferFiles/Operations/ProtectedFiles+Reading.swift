public import Coffer
import Cryptography
import FoundationEssentials
import Platform

extension ProtectedFiles {
    /// How often a file is opened again because another one took its place in between.
    static let attempts = 8

    /// The most that ``read(_:limit:reason:applicationPassword:)`` takes into memory by default: 64 MiB, in bytes.
    public static let defaultLimit = 64 << 20

    /// Reads a whole file. It gives nothing unless every byte is as it was written.
    ///
    /// ```swift
    /// let picture = try await files.read("pictures/profile.png", reason: "Show your picture")
    /// ```
    /// - Parameters:
    ///   - limit: the most bytes to take into memory. For a larger file use ``chunks(of:reason:applicationPassword:)``.
    ///   - reason: why the program asks, in its own words. The prompt shows it. At most 512 bytes in UTF-8.
    ///   - applicationPassword: the file's own password, if its access control requires one.
    /// - Throws: `.notFound`; `.damaged` if the file was cut, changed, moved by another program, or has lost its key;
    ///   `.limitExceeded`; `.notPermitted` if a link is in the way; `.cancelled`; and the errors of reading an item.
    public func read(
        _ path: String, limit: Int = defaultLimit, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) -> [UInt8] {
        var reader = try await open(
            RelativePath(path), FileKeyRequest(reason: reason, applicationPassword: applicationPassword), limit: limit)
        var content: [UInt8] = []
        // The size was compared with the limit. Growing later would leave copies behind.
        content.reserveCapacity(Int(clamping: reader.contentSize))
        do throws(KeychainError) {
            while var part = try reader.next() {
                content += part
                Wipe.bytes(&part)
                // A file can grow while it is read.
                guard content.count <= limit else { throw Self.tooLarge(path, limit) }
            }
        } catch {
            Wipe.bytes(&content)
            throw error
        }
        return content
    }

    /// Reads a value that was written as JSON. The rest is as for ``read(_:limit:reason:applicationPassword:)``.
    ///
    /// ```swift
    /// let note = try await files.read("notes/today.json", as: Note.self)
    /// ```
    /// - Throws: `.notDecodable` if the file holds something else, and the errors of reading.
    public func read<Value: Decodable>(
        _ path: String, as type: Value.Type, limit: Int = defaultLimit, reason: String? = nil,
        applicationPassword: String? = nil
    ) async throws(KeychainError) -> Value {
        var content = try await read(path, limit: limit, reason: reason, applicationPassword: applicationPassword)
        defer { Wipe.bytes(&content) }
        do { return try JSONDecoder().decode(type, from: Data(content)) } catch {
            throw KeychainError(
                .notDecodable, "\(path) holds no \(type)", advice: "read it as the type that was written")
        }
    }

    /// Reads a file of any size in bounded memory. See ``ProtectedFileChunks`` for what may be done with a part before the
    /// end.
    ///
    /// ```swift
    /// for try await part in files.chunks(of: "recording.wav") { await player.play(part) }
    /// ```
    public func chunks(
        of path: String, reason: String? = nil, applicationPassword: String? = nil
    ) -> ProtectedFileChunks {
        ProtectedFileChunks { () throws(KeychainError) in
            try await open(
                RelativePath(path), FileKeyRequest(reason: reason, applicationPassword: applicationPassword))
        }
    }

    /// Writes a file's content to a descriptor, in bounded memory. What was written before an error is authentic, but it may
    /// not be all. Only if this returns was it all.
    ///
    /// ```swift
    /// try await files.export("backup.tar", toDescriptor: STDOUT_FILENO, reason: "Restore the backup")
    /// ```
    /// - Parameter descriptor: stays open, and stays the caller's. A slow reader at its other end keeps no task waiting
    ///   except this one.
    /// - Throws: the errors of ``read(_:limit:reason:applicationPassword:)``, and `.failed` if the descriptor takes nothing.
    ///   A pipe or a socket whose reader has gone is such an error. The process gets no SIGPIPE.
    public func export(
        _ path: String, toDescriptor descriptor: Int32, reason: String? = nil, applicationPassword: String? = nil
    ) async throws(KeychainError) {
        var reader = try await open(
            RelativePath(path), FileKeyRequest(reason: reason, applicationPassword: applicationPassword))
        while let part = try reader.next() {
            try await BlockingCall.run { () throws(SystemError) in
                try BrokenPipe.write(part, to: descriptor, named: "the descriptor")
            }
        }
    }

    /// Opens a file and reads its key.
    func open(
        _ path: RelativePath, _ request: FileKeyRequest, limit: Int? = nil
    ) async throws(KeychainError) -> FileReader {
        guard let root = try FileRoot.existing(place()) else { throw .noFile(path.text) }
        var missing: FileID?
        for _ in 0..<Self.attempts {
            let file = try openFile(path, root)
            // A replaced file's key is deleted after the new file has its name, so opening once more finds the new file.
            guard file.id != missing else { break }
            if let limit, file.contentSize > limit { throw Self.tooLarge(path.text, limit) }
            let key: SecretBytes
            do throws(KeychainError) { key = try await keys.load(file.id, request) } catch {
                guard error.code == .notFound else { throw error }
                missing = file.id
                continue
            }
            return try FileReader(file, key: key, name: name(path))
        }
        throw KeychainError(
            .damaged, "the key of \(path.text) is missing",
            advice: "keep the file, and restore the vault that has its key")
    }

    private func openFile(
        _ path: RelativePath, _ root: borrowing FileRoot
    ) throws(KeychainError) -> OpenedFile {
        let parent = try filing(missing: .noFile(path.text)) { () throws(SystemError) in try root.parent(of: path) }
        return try OpenedFile.open(path.last, in: parent, path: path.text)
    }

    private static func tooLarge(_ path: String, _ limit: Int) -> KeychainError {
        KeychainError(
            .limitExceeded, "\(path) has more than \(limit) bytes", advice: "raise the limit, or read it in chunks")
    }
}
