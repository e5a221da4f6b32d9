import Coffer
import Synchronization

/// Tells caches when a vault is unlocked, so that they hold values only then. If that cannot be heard, the vault counts
/// as locked.
///
/// A process has one for each vault, as long as a cache uses it: the broker has only a few monitors for a user.
final class CacheLockWatch: Sendable {
    private struct Key: Hashable {
        let backend: BackendIdentity
        let vault: VaultName
    }

    private static let all = WhileInUse<Key, CacheLockWatch>()

    private let caches: WatchingCaches
    /// Ends after the first look. It holds no events, because a monitor ends only if nothing holds its events.
    private let first: Task<Void, Never>
    private let task: Task<Void, Never>

    /// The watch of a keychain's vault.
    /// - Parameter pause: waits before a new watch listens anew. It throws when it is cancelled.
    static func of(
        _ keychain: Keychain, pause: @escaping @Sendable () async throws -> Void
    ) -> CacheLockWatch {
        guard let backend = BackendIdentity(keychain.backend) else { return CacheLockWatch(keychain, pause: pause) }
        return all.object(for: Key(backend: backend, vault: keychain.vault)) { CacheLockWatch(keychain, pause: pause) }
    }

    private init(_ keychain: Keychain, pause: @escaping @Sendable () async throws -> Void) {
        // The tasks have the caches, but not the watch: it ends with the last cache.
        let caches = WatchingCaches()
        let changed: @Sendable (Bool) -> Void = { isUnlocked in caches.tell(isUnlocked) }
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        self.caches = caches
        first = Task { for await _ in looks {} }
        task = Task {
            var events = await Self.listen(to: keychain, changed)
            look.finish()
            while !Task.isCancelled {
                if let events { await Self.follow(events, of: keychain, changed) }
                changed(false)
                do { try await pause() } catch { return }
                events = await Self.listen(to: keychain, changed)
            }
        }
    }

    deinit {
        first.cancel()
        task.cancel()
    }

    /// Listens before it returns, if the keychain can be heard and the caller's task is not cancelled.
    /// - Parameter changed: is called when a cache has to ask whether the vault is unlocked.
    /// - Returns: the cache's part. When it ends, the cache hears no more.
    func subscribe(_ changed: @escaping WatchingCaches.Change) async -> CacheLockSubscription {
        let number = caches.add(changed)
        let subscription = CacheLockSubscription { [self] in caches.remove(number) }
        await firstLook()
        caches.letAsk(changed)
        return subscription
    }

    /// Waits for the first look, or until the caller's task is cancelled. Others may wait for the same look.
    private func firstLook() async {
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        Task { [first] in
            await first.value
            look.finish()
        }
        for await _ in looks {}
    }

    /// How long to wait until a broker that is gone is looked for again.
    static let usualPause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(2)) }

    private static func listen(
        to keychain: Keychain, _ changed: @Sendable (Bool) -> Void
    ) async -> AsyncThrowingStream<KeychainEvent, any Error>? {
        do throws(KeychainError) {
            // Of all services: a lock is of the whole vault, and the next cache may be of another service.
            let events = try await keychain.backend.events(of: nil, in: keychain.vault)
            // Only now, so that no lock falls in between.
            changed(try await keychain.status().state == .unlocked)
            return events
        } catch {
            changed(false)
            return nil
        }
    }

    private static func follow(
        _ events: AsyncThrowingStream<KeychainEvent, any Error>, of keychain: Keychain,
        _ changed: @Sendable (Bool) -> Void
    ) async {
        do {
            for try await event in events {
                switch event {
                case .locked: changed(false)
                case .unlocked: changed(true)
                case .missed:
                    // One of the events that are missing may have been a lock.
                    changed(false)
                    changed(try await keychain.status().state == .unlocked)
                case .added, .updated, .deleted, .sharing: break
                }
            }
        } catch {
            // The caller takes any end of the events as a lock.
        }
    }
}

/// A cache's part in a watch, and the watch itself as long as there is such a part.
final class CacheLockSubscription: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

/// The caches that hear of one vault, and whether it is unlocked.
final class WatchingCaches: Sendable {
    /// Gets a question, not an answer: two answers could arrive in the wrong order, and leave a cache open in a locked
    /// vault.
    typealias Change = @Sendable (_ isUnlocked: () -> Bool) -> Void

    private struct State {
        var isUnlocked = false
        var last: UInt64 = 0
        var changes: [UInt64: Change] = [:]
    }

    private let state = Mutex(State())

    func add(_ change: @escaping Change) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.changes[state.last] = change
            return state.last
        }
    }

    func remove(_ number: UInt64) {
        // A cache leaves the lock before its values end, because their ends may use other caches.
        _ = state.withLock { $0.changes.removeValue(forKey: number) }
    }

    func tell(_ isUnlocked: Bool) {
        let changes = state.withLock { state in
            state.isUnlocked = isUnlocked
            return Array(state.changes.values)
        }
        for change in changes { letAsk(change) }
    }

    /// Has a cache ask whether the vault is unlocked.
    func letAsk(_ change: Change) { change { state.withLock { $0.isUnlocked } } }
}
