public import Coffer

/// The content of a protected file, a part at a time. At most two parts of 64 KiB are in memory, however large the file is.
///
/// Each iteration opens the file anew, which may ask a person. **What an iteration gives is authentic. That it was all, is
/// certain only when the loop ends without an error.** An error may mean that the file was cut or changed behind what was
/// given. So what you do with a part must be easy to undo until the loop has ended.
///
/// ```swift
/// var digest = Digest()
/// for try await part in files.chunks(of: "backup.tar", reason: "Check the backup") {
///     digest.update(part)
/// }
/// ```
public struct ProtectedFileChunks: AsyncSequence, Sendable {
    /// A part of the content.
    public typealias Element = [UInt8]
    /// `.damaged` if the file was changed, cut off or put together from others.
    public typealias Failure = KeychainError

    let open: @Sendable () async throws(KeychainError) -> FileReader

    /// Opens the file with the first part.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(open: open) }

    /// Reads the file once, from its beginning.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let open: @Sendable () async throws(KeychainError) -> FileReader
        private let state = State()

        /// A reader cannot be copied, but an iterator can.
        private final class State {
            var reader: FileReader?
            var hasEnded = false
        }

        init(open: @escaping @Sendable () async throws(KeychainError) -> FileReader) { self.open = open }

        /// - Returns: the next part, of 1 to 65,536 bytes; nil when all of the file has been given.
        /// - Throws: `.notFound`, `.damaged`, `.cancelled`, and the errors of reading an item.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(KeychainError) -> [UInt8]? {
            if state.hasEnded { return nil }
            do throws(KeychainError) {
                if state.reader == nil { state.reader = try await open() }
                if let part = try state.reader?.next() { return part }
            } catch {
                end()
                throw error
            }
            end()
            return nil
        }

        /// The next part; nil at the end.
        /// - Throws: `.damaged`, and the errors of reading the file's key.
        public mutating func next() async throws(KeychainError) -> [UInt8]? { try await next(isolation: nil) }

        private func end() {
            state.hasEnded = true
            state.reader = nil
        }
    }
}
