import Coffer
import Configuration
import Synchronization

/// Follows the broker's changes.
extension KeychainProvider {
    /// Forgets values as soon as their items change or the vault is locked, until the task is cancelled. Run it beside the application, for example in a task group.
    ///
    /// Values from before are compared with their items first, because they may have changed before this listens. If the broker ends, everything is forgotten. The next broker is heard as soon as it is there.
    /// ```swift
    /// try await secrets.run { _ = try? await secrets.preload() }
    /// ```
    /// - Parameter missed: called when values were forgotten because of changes that were not heard: before this listened, while there was no broker, or because this was too slow.
    /// - Throws: `KeychainError` if the broker refuses to be heard, for example because there is no such group. Everything was forgotten then.
    public func run(missed: @Sendable () async -> Void = {}) async throws {
        defer { forgetAll() }
        try await hear(nil, on: clock) {
            if try await forgetChanged() { await missed() }
        } heard: { event in
            follow(event)
            if event == .missed { await missed() }
        }
    }

    /// Hears what happens, of one broker after the other, until the task is cancelled. After each gap comes `.missed`.
    /// - Parameters:
    ///   - first: the events of the broker that is there now.
    ///   - begin: called once, when a broker is first heard. If it fails, this is a gap.
    /// - Throws: the broker's error, if it cannot be expected to pass.
    private func hear<Time: Clock<Duration>>(
        _ first: AsyncThrowingStream<KeychainEvent, any Error>?, on clock: Time,
        begin: () async throws -> Void, heard: (KeychainEvent) async -> Void
    ) async throws {
        var (next, backOff, isGap, isFirst) = (first, BackOff(), false, true)
        while !Task.isCancelled {
            let begun = clock.now
            do {
                let events: AsyncThrowingStream<KeychainEvent, any Error>
                if let next { events = next } else { events = try await keychain.changes() }
                // Values may have been fetched from this broker before it was heard.
                if isGap { await heard(.missed) } else if isFirst { try await begin() }
                isFirst = false
                for try await event in events { await heard(event) }
            } catch {
                if Task.isCancelled { return }
                guard let error = error as? KeychainError, BackOff.passing.contains(error.code) else { throw error }
            }
            if Task.isCancelled { return }
            // Nobody vouches for them now.
            forgetAll()
            (next, isGap) = (nil, true)
            // Only a cancellation ends the sleep early.
            do { try await clock.sleep(for: backOff.pause(after: begun.duration(to: clock.now))) } catch { return }
        }
    }

    /// Events are of items of every class. A certificate may have the account of a key.
    private func isOurs(_ item: ItemAttributes) -> Bool { item.name.itemClass == keychain.itemClass }

    func follow(_ event: KeychainEvent) {
        switch event {
        case .added(let item), .updated(let item):
            if isOurs(item) { forget(item.account, unless: item) }
        case .deleted(let item):
            if isOurs(item) { forget(item.account, unless: nil) }
        case .locked, .missed: forgetAll()
        case .unlocked, .sharing: break
        }
    }

    /// Gives the value that was fetched before, and the present one after each change of its item, and after each restart of the broker. A change is read without a prompt: if the
    /// item needs a person, there is no value until somebody fetches it.
    public func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey, type: ConfigType,
        updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
    ) async throws -> Return {
        let account = ExactAccount(Self.account(of: key))
        return try await watching(
            first: Result { try value(forKey: key, type: type) }, concerns: { $0 == account },
            next: { _ in await self.quietly(key, type) }, updatesHandler)
    }

    /// Gives the snapshot of the moment, and another one after each change and each restart of the broker. Values that a snapshot had before are read anew without a prompt. A
    /// snapshot lacks what was deleted, what needs a person until somebody fetches it, and everything while the vault is locked.
    public func watchSnapshot<Return: ~Copyable>(
        updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
        let first = snapshotNow()
        let known = Mutex(Set(first.values.keys))
        return try await watching(
            first: first as any ConfigSnapshot, concerns: { _ in true },
            next: { event in
                let known = known.withLock { known in
                    known.formUnion(self.remembered)
                    return known
                }
                return await self.snapshot(readingAnew: known, after: event)
            }, updatesHandler)
    }

    /// - Parameters:
    ///   - known: the accounts that a snapshot had before.
    ///   - event: nil if changes were missed before events were heard.
    private func snapshot(readingAnew known: Set<ExactAccount>, after event: KeychainEvent?) async -> any ConfigSnapshot
    {
        let changed: Set<ExactAccount>
        switch event {
        case .added(let item), .updated(let item): changed = [ExactAccount(item.account)]
        case .locked, .deleted, .sharing: changed = []
        case .unlocked, .missed, nil: changed = known.subtracting(remembered)
        }
        var read: [ExactAccount: [UInt8]] = [:]
        for account in known.intersection(changed).sorted(by: { $0.text < $1.text }) {
            // `try?`: without a broker there is no value. A snapshot follows when the next broker is heard.
            read[account] = try? await readQuietly(account.text)
        }
        // Another watch may have forgotten again what was read just now.
        return snapshotNow().having(read)
    }

    private func watching<Element: Sendable, Return: ~Copyable>(
        first: Element, concerns: @escaping @Sendable (ExactAccount) -> Bool,
        next: @escaping @Sendable (KeychainEvent?) async -> Element,
        _ handler: (ConfigUpdatesAsyncSequence<Element, Never>) async throws -> Return
    ) async throws -> Return {
        // A slow reader gets the newest value only.
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.yield(first)
        let changes = try await keychain.changes()
        let following = Task { [self] in
            defer { continuation.finish() }
            do {
                try await hear(changes, on: clock) {
                    if try await forgetChanged() { continuation.yield(await next(nil)) }
                } heard: { event in
                    follow(event)
                    if concerned(by: event, concerns) { continuation.yield(await next(event)) }
                }
            } catch {
                // The broker refuses to be heard: the sequence ends, and nothing that it had vouched for is kept.
                forgetAll()
            }
        }
        defer { following.cancel() }
        return try await handler(ConfigUpdatesAsyncSequence(stream))
    }

    private func concerned(by event: KeychainEvent, _ concerns: (ExactAccount) -> Bool) -> Bool {
        switch event {
        case .added(let item), .updated(let item), .deleted(let item):
            isOurs(item) && concerns(ExactAccount(item.account))
        case .locked, .unlocked, .missed: true
        case .sharing: false
        }
    }

    /// The present value, if nobody has to be asked for it.
    private func quietly(_ key: AbsoluteConfigKey, _ type: ConfigType) async -> Result<LookupResult, any Error> {
        let account = Self.account(of: key)
        do {
            let value = try await readQuietly(account).map { try ValueConversion.value($0, as: type, account) }
            return .success(LookupResult(encodedKey: account, value: value))
        } catch { return .failure(error) }
    }
}

/// How long to wait until a broker that is gone is looked for again: a moment at first, for a restart, and longer after each failure.
struct BackOff {
    static let shortest = Duration.milliseconds(100)
    static let longest = Duration.seconds(30)
    /// The errors of a broker that is gone, stops or is busy. `.failed`: one that cannot start yet says so.
    /// `.locked`: a group's vault is not heard while the member's own is locked.
    static let passing: Set<KeychainError.Code> = [.brokerUnreachable, .brokerSilent, .failed, .limitExceeded, .locked]

    private var next = shortest

    /// - Parameter heard: how long the broker was heard before. A broker that ends again and again at once is a failure, too.
    mutating func pause(after heard: Duration) -> Duration {
        if heard >= Self.longest { next = Self.shortest }
        defer { next = min(next * 2, Self.longest) }
        return next
    }
}
