import Coffer

/// Tells a cache when the vault is unlocked, so that it holds values only then. If that cannot be heard, the vault counts as locked.
final class CacheLockWatch: Sendable {
    private let task: Task<Void, Never>

    /// Listens before it returns, if the keychain can be heard.
    /// - Parameters:
    ///   - pause: waits before it listens anew. It throws when it is cancelled.
    ///   - changed: gets whether the vault is unlocked.
    init(
        _ keychain: Keychain, pause: @escaping @Sendable () async throws -> Void = CacheLockWatch.usualPause,
        changed: @escaping @Sendable (Bool) -> Void
    ) async {
        let first = await Self.listen(to: keychain, changed)
        task = Task {
            var events = first
            while !Task.isCancelled {
                if let events { await Self.follow(events, of: keychain, changed) }
                changed(false)
                do { try await pause() } catch { return }
                events = await Self.listen(to: keychain, changed)
            }
        }
    }

    deinit { task.cancel() }

    /// How long to wait until a broker that is gone is looked for again.
    static let usualPause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(2)) }

    private static func listen(
        to keychain: Keychain, _ changed: @Sendable (Bool) -> Void
    ) async -> AsyncThrowingStream<KeychainEvent, any Error>? {
        do throws(KeychainError) {
            let events = try await keychain.changes()
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
