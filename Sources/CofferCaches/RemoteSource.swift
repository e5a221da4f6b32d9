import FoundationEssentials

/// Where a ``Repository`` gets its values: usually a server.
///
/// ```swift
/// struct Profiles: RemoteSource {
///     func fetch(_ ids: [String]) async throws -> [String: Profile] { try await mailServer.profiles(ids) }
///     func send(_ profiles: [String: Profile]) async throws { try await mailServer.store(profiles) }
/// }
/// ```
public protocol RemoteSource<Key, Value>: Sendable {
    /// What names a value.
    associatedtype Key: Hashable & Sendable
    /// What the source gives.
    associatedtype Value: Sendable

    /// Fetches values in one request. A key that the source does not have is missing in the answer.
    func fetch(_ keys: [Key]) async throws -> [Key: Value]

    /// Stores values in one request. A source that is only read throws.
    func send(_ values: [Key: Value]) async throws

    /// Whether an error means that the source could not be reached, so that a cached value is good enough.
    func isOffline(_ error: any Error) -> Bool
}

extension RemoteSource {
    /// True for every error but a cancellation.
    public func isOffline(_ error: any Error) -> Bool { !(error is CancellationError) }
}

/// A source whose values are fetched one by one, by a closure.
///
/// ```swift
/// let source = ClosureSource { (id: String) in try await mailServer.profile(id) }
/// ```
public struct ClosureSource<Key: Hashable & Sendable, Value: Sendable>: RemoteSource {
    private let fetchOne: @Sendable (Key) async throws -> Value?
    private let sendOne: @Sendable (Key, Value) async throws -> Void

    /// - Parameters:
    ///   - fetch: gives the value of a key, or nil if there is none.
    ///   - send: stores the value of a key.
    public init(
        fetch: @escaping @Sendable (Key) async throws -> Value?,
        send: @escaping @Sendable (Key, Value) async throws -> Void = { _, _ in throw ReadOnlySource() }
    ) {
        fetchOne = fetch
        sendOne = send
    }

    /// Fetches up to 8 keys at a time.
    public func fetch(_ keys: [Key]) async throws -> [Key: Value] {
        try await withThrowingTaskGroup(of: (Key, Value?).self) { group in
            var rest = keys[...]
            func addNext() {
                if let key = rest.popFirst() { group.addTask { (key, try await fetchOne(key)) } }
            }
            for _ in 0..<SourceLimits.requests { addNext() }
            var values: [Key: Value] = [:]
            for try await (key, value) in group {
                values[key] = value
                addNext()
            }
            return values
        }
    }

    /// Sends the values one after the other. The first error ends it.
    /// - Throws: what the source's own closure throws; ``ReadOnlySource`` if it has none.
    public func send(_ values: [Key: Value]) async throws {
        for (key, value) in values { try await sendOne(key, value) }
    }
}

/// A source was asked to store something, and it cannot.
///
/// ```swift
/// func send(_ values: [String: Profile]) async throws { throw ReadOnlySource() }
/// ```
public struct ReadOnlySource: Error, Sendable, CustomStringConvertible {
    /// For sources of your own that can only be read.
    public init() {}

    /// One sentence, for a log.
    public var description: String { "this source can only be read" }
}

enum SourceLimits {
    /// The requests that a ``ClosureSource`` makes at a time.
    static let requests = 8
}

extension ReadOnlySource: LocalizedError {
    /// What happened: ``description``. `localizedDescription` is the same.
    public var errorDescription: String? { description }
}
