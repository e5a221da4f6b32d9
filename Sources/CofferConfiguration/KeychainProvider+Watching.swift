import Coffer
import Configuration

/// Follows the broker's changes.
extension KeychainProvider {
    /// Forgets values as soon as their items change or the vault is locked, until the task is cancelled. Run it beside the application, for example in a task group.
    ///
    /// If the broker ends, everything is forgotten. The next broker is heard as soon as it is there.
    /// ```swift
    /// try await secrets.run { _ = try? await secrets.preload() }
    /// ```
    /// - Parameter missed: called when changes may have been missed, because there was no broker for a while or this was too slow. Everything was forgotten then.
    /// - Throws: `KeychainError` if the broker refuses to be heard, for example because there is no such group. Everything was forgotten then.
    public func run(missed: @Sendable () async -> Void = {}) async throws {
        defer { forget(nil) }
        try await hear(nil, on: clock) { event in
            follow(event)
            if event == .missed { await missed() }
        }
    }

    /// Hears what happens, of one broker after the other, until the task is cancelled. After each gap comes `.missed`.
    /// - Parameter first: the events of the broker that is there now.
    /// - Throws: the broker's error, if it cannot be expected to pass.
    private func hear<Time: Clock<Duration>>(
        _ first: AsyncThrowingStream<KeychainEvent, any Error>?, on clock: Time,
        _ heard: (KeychainEvent) async -> Void
    ) async throws {
        var (next, backOff, isGap) = (first, BackOff(), false)
        while !Task.isCancelled {
            let begun = clock.now
            do {
                let events: AsyncThrowingStream<KeychainEvent, any Error>
                if let next { events = next } else { events = try await keychain.changes() }
                // Values may have been fetched from this broker before it was heard.
                if isGap { await heard(.missed) }
                for try await event in events { await heard(event) }
            } catch {
                if Task.isCancelled { return }
                guard let error = error as? KeychainError, BackOff.passing.contains(error.code) else { throw error }
            }
            if Task.isCancelled { return }
            // Nobody vouches for them now.
            forget(nil)
            (next, isGap) = (nil, true)
            // Only a cancellation ends the sleep early.
            do { try await clock.sleep(for: backOff.pause(after: begun.duration(to: clock.now))) } catch { return }
        }
    }

    /// - Returns: whether a value may have changed.
    @discardableResult
    func follow(_ event: KeychainEvent) -> Bool {
        switch event {
        case .added(let item), .updated(let item), .deleted(let item): forget([item.account])
        case .locked, .missed: forget(nil)
        case .unlocked: break
        }
        return true
    }

    /// Gives the value that was fetched before, and the present one after each change of its item, and after each restart of the broker. A change is read without a prompt: if the
    /// item needs a person, there is no value until somebody fetches it.
    public func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey, type: ConfigType,
        updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
    ) async throws -> Return {
        let account = Self.account(of: key)
        return try await watching(
            first: Result { try value(forKey: key, type: type) }, concerns: { $0 == account },
            next: { await self.quietly(key, type) }, updatesHandler)
    }

    /// Gives the snapshot of the moment, and another one after each change and each restart of the broker.
    public func watchSnapshot<Return: ~Copyable>(
        updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
        try await watching(
            first: snapshot(), concerns: { _ in true }, next: { self.snapshot() }, updatesHandler)
    }

    private func watching<Element: Sendable, Return: ~Copyable>(
        first: Element, concerns: @escaping @Sendable (String) -> Bool, next: @escaping @Sendable () async -> Element,
        _ handler: (ConfigUpdatesAsyncSequence<Element, Never>) async throws -> Return
    ) async throws -> Return {
        // A slow reader gets the newest value only.
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.yield(first)
        let changes = try await keychain.changes()
        let following = Task { [self] in
            defer { continuation.finish() }
            // `try?`: if the broker refuses to be heard, the sequence ends, and nothing that it had vouched for is kept.
            try? await hear(changes, on: clock) { event in
                follow(event)
                if Self.concerned(by: event, concerns) { continuation.yield(await next()) }
            }
            forget(nil)
        }
        defer { following.cancel() }
        return try await handler(ConfigUpdatesAsyncSequence(stream))
    }

    private static func concerned(by event: KeychainEvent, _ concerns: (String) -> Bool) -> Bool {
        switch event {
        case .added(let item), .updated(let item), .deleted(let item): concerns(item.account)
        case .locked, .unlocked, .missed: true
        }
    }

    /// The present value, if nobody has to be asked for it.
    private func quietly(_ key: AbsoluteConfigKey, _ type: ConfigType) async -> Result<LookupResult, any Error> {
        let account = Self.account(of: key)
        do {
            let bytes = try await keychain.prompting(.never).bytes(for: account)
            return .success(
                LookupResult(encodedKey: account, value: try ValueConversion.value(bytes, as: type, account)))
        } catch let error as KeychainError {
            guard [.notFound, .locked, .authenticationNeeded].contains(error.code) else { return .failure(error) }
            return .success(LookupResult(encodedKey: account, value: nil))
        } catch { return .failure(error) }
    }
}
