import Platform
import Synchronization

/// Equal reads are one read, so that one prompt answers all tasks that want the same value.
///
/// A task that comes while the person is asked gets the same answer. A task that comes while the broker has the call waits,
/// and shares the next read: the answer under way could be older than a change that the task knows of.
package final class SharedReads: Sendable {
    /// What makes reads equal.
    package struct Key: Hashable, Sendable {
        let items: [ItemName]
        let request: ReadRequest
        let vault: VaultName

        package init(items: [ItemName], request: ReadRequest, vault: VaultName) {
            self.items = items
            self.request = request
            self.vault = vault
        }
    }

    package typealias Answer = Result<ReadItems, KeychainError>
    package typealias Body = @Sendable (Asking) async throws(KeychainError) -> [Item]

    /// Tells the others whether a read waits for a person.
    package struct Asking: Sendable {
        fileprivate let reads: SharedReads
        fileprivate let key: Key

        /// From now on, the read can be joined.
        package func begin() { reads.open(key) }

        /// From now on, it cannot: the broker gets the call.
        package func end() { reads.close(key) }
    }

    /// Tasks that wait, by number.
    private typealias Seats = [UInt64: FirstResult<Answer>]

    private struct Read {
        var seats: Seats
        /// Those who share the next read.
        var next: Seats = [:]
        var isAsking = false
        /// Nobody waits for it, so it was cancelled.
        var isGivenUp = false
        var task: Task<Void, Never>?
    }

    private struct State {
        var last: UInt64 = 0
        var reads: [Key: Read] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// How many tasks wait for an answer.
    package var waiting: Int { state.withLock { $0.reads.values.reduce(0) { $0 + $1.seats.count + $1.next.count } } }

    /// The items, by a read of the caller's own or by an equal one.
    /// - Parameter body: reads. It is cancelled when nobody waits for it.
    /// - Throws: what `body` throws, and `.cancelled` if the caller's task is cancelled.
    package func items(_ key: Key, _ body: @escaping Body) async throws(KeychainError) -> ReadItems {
        // Otherwise the read could be over before the cancellation is noticed.
        if Task.isCancelled { throw .cancelledByTask }
        let seat = FirstResult<Answer>()
        let number = state.withLock { state in
            state.last += 1
            let number = state.last
            guard let read = state.reads[key] else {
                state.reads[key] = Read(seats: [number: seat])
                begin(key, body, &state)
                return number
            }
            if read.isAsking, !read.isGivenUp {
                state.reads[key]?.seats[number] = seat
            } else {
                state.reads[key]?.next[number] = seat
            }
            return number
        }
        let answer = await withTaskCancellationHandler {
            await seat.value
        } onCancel: {
            leave(key, number, seat)
        }
        return try answer.get()
    }

    /// Starts the read of a key. The task waits for the lock before it can end.
    private func begin(_ key: Key, _ body: @escaping Body, _ state: inout State) {
        state.reads[key]?.task = Task { [self] in
            let answer: Answer
            do throws(KeychainError) {
                answer = .success(ReadItems(try await body(Asking(reads: self, key: key))))
            } catch {
                answer = .failure(error)
            }
            end(key, answer, body)
        }
    }

    private func open(_ key: Key) {
        state.withLock { state in
            guard var read = state.reads[key], !read.isGivenUp else { return }
            read.isAsking = true
            read.seats.merge(read.next) { $1 }
            read.next = [:]
            state.reads[key] = read
        }
    }

    private func close(_ key: Key) { state.withLock { $0.reads[key]?.isAsking = false } }

    /// - Parameter body: reads once more for those who came meanwhile. Bodies of one key do the same.
    private func end(_ key: Key, _ answer: Answer, _ body: @escaping Body) {
        let seats = state.withLock { state in
            guard let read = state.reads.removeValue(forKey: key) else { return Seats() }
            if !read.next.isEmpty {
                state.reads[key] = Read(seats: read.next)
                begin(key, body, &state)
            }
            return read.seats
        }
        for seat in seats.values { seat.end(with: answer) }
    }

    /// Ends one task's wait. The last one who leaves ends the read.
    private func leave(_ key: Key, _ number: UInt64, _ seat: FirstResult<Answer>) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard var read = state.reads[key] else { return nil }
            defer { state.reads[key] = read }
            read.next[number] = nil
            guard read.seats.removeValue(forKey: number) != nil, read.seats.isEmpty else { return nil }
            read.isGivenUp = true
            return read.task
        }
        task?.cancel()
        seat.end(with: .failure(.cancelledByTask))
    }
}

/// Items that were read, for all who share the read. Their values are overwritten when the last of them is done.
package final class ReadItems: Sendable {
    private let items: [Item]

    init(_ items: [Item]) { self.items = items }

    deinit {
        for item in items { Wipe.storage(of: item.value) }
    }

    /// The items with values of the caller's own.
    package var copies: [Item] {
        items.map { item in
            // Another storage: that of the original is overwritten.
            Item(value: item.value.map(\.self), attributes: item.attributes)
        }
    }

    /// The value of the only item, as long as the body runs.
    func withValue<Result>(
        _ body: (Span<UInt8>) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        guard let item = items.first, items.count == 1 else {
            throw KeychainError(.protocolViolation, "the broker gave another number of items")
        }
        return try body(item.value.span)
    }
}
