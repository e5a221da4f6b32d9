public import Coffer

/// Writes one protected file, a part at a time. The file appears under its name, whole, when ``finish()`` returns. Until
/// then the former file stays as it is. A writer that ends without ``finish()`` changes nothing.
///
/// ```swift
/// var writer = try await files.writer(to: "backup.tar")
/// for try await part in download { try await writer.write(part) }
/// try await writer.finish()
/// ```
public struct ProtectedFileWriter: ~Copyable, Sendable {
    private var part: PartFile
    private let keys: any FileKeys
    private let replaces: Bool

    init(_ part: consuming PartFile, keys: any FileKeys, replaces: Bool) {
        self.part = part
        self.keys = keys
        self.replaces = replaces
    }

    /// Writes on. Parts may have any length.
    /// - Throws: `.cancelled` if the task was cancelled; `.failed`, for example if the disk is full. Then the writer can only
    ///   end.
    public mutating func write(_ content: some Collection<UInt8> & Sendable) async throws(KeychainError) {
        guard !Task.isCancelled else { throw .cancelledTask }
        try part.write(content)
    }

    /// Gives the file its name. When this returns, the file survives a power cut. If it throws, the former file is still
    /// there, except if only the sync of the folder failed.
    /// - Throws: `.cancelled`; `.damaged` if something that is no protected file has the name; `.notPermitted` if a link
    ///   is in the way; `.failed`.
    public consuming func finish() async throws(KeychainError) {
        let former: FileID?
        do throws(KeychainError) { former = try await part.commit(replaces: replaces) } catch {
            if !part.isPlaced { await keys.discard(part.id) }
            throw error
        }
        if let former { await keys.discard(former) }
        part.keep()
    }

    /// Gives up: removes what was written. Leaving the writer does the same, but leaves its key to a later sweep.
    public consuming func cancel() async {
        await keys.discard(part.id)
        part.keep()
    }
}
