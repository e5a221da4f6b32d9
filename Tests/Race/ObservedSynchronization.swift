// Part of no target. scripts/race puts this file into each module of a copy of the sources.
//
// The thread sanitizer sees only instrumented code. Swift's libraries are not, so it misses what orders the threads in a contended Mutex and in a
// continuation that is resumed before it is awaited, and reports races that are none. These types take the names of the originals in a module, and
// do the same in a way that the sanitizer sees.

import Glibc

@_silgen_name("__tsan_acquire") private func acquire(_ address: UnsafeMutableRawPointer)
@_silgen_name("__tsan_release") private func release(_ address: UnsafeMutableRawPointer)

// Unchecked: the lock protects the value.
@safe struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    init(_ initial: consuming sending Value) {
        unsafe lock = .allocate(capacity: 1)
        unsafe value = .allocate(capacity: 1)
        // fatalError: a test run without the lock shows nothing.
        guard unsafe pthread_mutex_init(lock, nil) == 0 else { fatalError("pthread_mutex_init") }
        unsafe value.initialize(to: initial)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }
}

/// An address that stands for one continuation.
// Unchecked: the address is never read or written.
@safe private final class Order: @unchecked Sendable {
    let address = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)

    deinit { unsafe address.deallocate() }
}

struct CheckedContinuation<Value, Failure: Error>: Sendable {
    fileprivate let original: _Concurrency.CheckedContinuation<Value, Failure>
    fileprivate let order: Order

    func resume(with result: sending Result<Value, Failure>) {
        unsafe release(order.address)
        original.resume(with: result)
    }

    func resume(returning value: sending Value) {
        unsafe release(order.address)
        original.resume(returning: value)
    }

    func resume(throwing error: Failure) {
        unsafe release(order.address)
        original.resume(throwing: error)
    }
}

extension CheckedContinuation where Value == Void {
    func resume() { resume(returning: ()) }
}

func withCheckedContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (CheckedContinuation<Value, Never>) -> Void
) async -> sending Value {
    let order = Order()
    defer { unsafe acquire(order.address) }
    return await _Concurrency.withCheckedContinuation(isolation: isolation) {
        body(CheckedContinuation(original: $0, order: order))
    }
}

func withCheckedThrowingContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> sending Value {
    let order = Order()
    defer { unsafe acquire(order.address) }
    return try await _Concurrency.withCheckedThrowingContinuation(isolation: isolation) {
        body(CheckedContinuation(original: $0, order: order))
    }
}
