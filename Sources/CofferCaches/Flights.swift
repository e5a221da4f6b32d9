import Synchronization

/// Requests under way. All who want a key share the request that has it.
package final class Flights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Number = UInt64
    package typealias Answer = Result<[Key: Value], any Error>

    /// One request.
    private struct Flight {
        var task: Task<Void, Never>?
        /// Who waits for it.
        var seats: Set<UInt64> = []
        /// Whether it goes on if nobody waits.
        var goesOn = false
    }

    /// One who waits for a request.
    private struct Seat {
        let flight: Number
        var continuation: CheckedContinuation<[Key: Value], any Error>?
        /// The answer, if it came before anybody waited for it.
        var answer: Answer?
    }

    private struct State {
        var last: UInt64 = 0
        var flights: [Number: Flight] = [:]
        var seats: [UInt64: Seat] = [:]
        /// The newest request of each key. Only its answer may be kept, and only it is joined.
        var newest: [Key: Number] = [:]

        mutating func seat(in flight: Number) -> UInt64 {
            last += 1
            seats[last] = Seat(flight: flight)
            flights[flight]?.seats.insert(last)
            return last
        }

        mutating func end(_ number: Number) -> Flight? {
            newest = newest.filter { $0.value != number }
            return flights.removeValue(forKey: number)
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// How many calls wait for an answer.
    package var waiting: Int { state.withLock { state in state.seats.values.count { $0.continuation != nil } } }

    /// The values of keys, from requests that are under way or from a new one.
    /// - Parameters:
    ///   - joining: whether a request that began earlier is good enough.
    ///   - fetch: makes the request for some of the keys.
    /// - Throws: what `fetch` throws, and `CancellationError` if the caller's task is cancelled. A request ends when nobody waits for it.
    package func values(
        for keys: [Key], joining: Bool,
        fetch: @escaping @Sendable (_ keys: [Key], _ flight: Number) async throws -> [Key: Value]
    ) async throws -> [Key: Value] {
        let wanted = Set(keys)
        guard !wanted.isEmpty else { return [:] }
        var seats = reserve(wanted, joining: joining, fetch)[...]
        // After an error nobody waits for the others.
        defer { for seat in seats { leave(seat) } }
        var values: [Key: Value] = [:]
        while let seat = seats.popFirst() {
            let answer = try await wait(seat)
            values.merge(answer.filter { wanted.contains($0.key) }) { first, _ in first }
        }
        return values
    }

    private func reserve(
        _ keys: Set<Key>, joining: Bool,
        _ fetch: @escaping @Sendable (_ keys: [Key], _ flight: Number) async throws -> [Key: Value]
    ) -> [UInt64] {
        state.withLock { state in
            let joined = joining ? Set(keys.compactMap { state.newest[$0] }) : []
            var seats = joined.map { state.seat(in: $0) }
            let new = joining ? keys.filter { state.newest[$0] == nil } : keys
            guard !new.isEmpty else { return seats }
            state.last += 1
            let number = state.last
            for key in new { state.newest[key] = number }
            // The task waits for the lock before it can land.
            let task = Task { [self] in
                let answer: Answer
                do { answer = .success(try await fetch(Array(new), number)) } catch { answer = .failure(error) }
                land(number, answer)
            }
            state.flights[number] = Flight(task: task)
            seats.append(state.seat(in: number))
            return seats
        }
    }

    /// Whether the request is still the newest one of a key. Otherwise its answer is old.
    package func isNewest(_ flight: Number, of key: Key) -> Bool { state.withLock { $0.newest[key] == flight } }

    /// Makes the answers of the requests under way old. Nobody joins these requests from now on.
    /// - Parameter keys: nil for all.
    package func outdate(_ keys: [Key]? = nil) {
        state.withLock { state in
            guard let keys else { return state.newest.removeAll() }
            for key in keys { state.newest[key] = nil }
        }
    }

    /// Lets a request go on even if nobody waits for it.
    /// - Returns: false if it was given up already.
    package func keepsGoing(_ flight: Number) -> Bool {
        state.withLock { state in
            guard state.flights[flight] != nil else { return false }
            state.flights[flight]?.goesOn = true
            return true
        }
    }

    private func land(_ number: Number, _ answer: Answer) {
        let waiting = state.withLock { state in
            var waiting: [CheckedContinuation<[Key: Value], any Error>] = []
            for seat in state.end(number)?.seats ?? [] {
                if let continuation = state.seats[seat]?.continuation {
                    waiting.append(continuation)
                    state.seats[seat] = nil
                } else {
                    state.seats[seat]?.answer = answer
                }
            }
            return waiting
        }
        for continuation in waiting { continuation.resume(with: answer) }
    }

    private func wait(_ seat: UInt64) async throws -> [Key: Value] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Answer? = state.withLock { state in
                    if let answer = state.seats[seat]?.answer {
                        state.seats[seat] = nil
                        return answer
                    }
                    // The handler below has run already, or finds the continuation.
                    guard state.seats[seat] != nil, !Task.isCancelled else { return .failure(CancellationError()) }
                    state.seats[seat]?.continuation = continuation
                    return nil
                }
                guard let answer else { return }
                leave(seat)
                continuation.resume(with: answer)
            }
        } onCancel: {
            leave(seat)
        }
    }

    /// Gives up a seat. The last one who leaves ends the request.
    private func leave(_ number: UInt64) {
        let (continuation, task) = state.withLock { state in
            guard let seat = state.seats.removeValue(forKey: number) else {
                return (nil as CheckedContinuation<[Key: Value], any Error>?, nil as Task<Void, Never>?)
            }
            state.flights[seat.flight]?.seats.remove(number)
            guard let flight = state.flights[seat.flight], flight.seats.isEmpty, !flight.goesOn else {
                return (seat.continuation, nil)
            }
            return (seat.continuation, state.end(seat.flight)?.task)
        }
        task?.cancel()
        continuation?.resume(throwing: CancellationError())
    }
}
