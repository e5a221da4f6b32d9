import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Broker

/// Work in order on threads that are not woken without need, and a lock that waits for no long call of the same user.
@Suite(.timeLimit(.minutes(5)))
struct OrderedQueueTests {
    /// Something that work waits for.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        /// - Returns: whether it was opened. This ends the test even if it fails.
        @discardableResult
        func wait() -> Bool { semaphore.wait(timeout: .now() + .seconds(20)) == .success }

        func open() { semaphore.signal() }
    }

    private final class List: Sendable {
        private let entries = Mutex<[Int]>([])

        func add(_ entry: Int) { entries.withLock { $0.append(entry) } }

        var all: [Int] { entries.withLock { $0 } }
    }

    @Test("work of one queue runs in order and never at the same time")
    func order() async {
        let (first, second) = (OrderedQueue(), OrderedQueue())
        let (list, other) = (List(), List())
        let running = Mutex(0)
        let end = Gate()
        for number in 0..<2000 {
            first.add {
                list.add(number)
                second.add {
                    let isAlone = running.withLock { running in
                        running += 1
                        return running == 1
                    }
                    other.add(isAlone && second.isCurrent && !first.isCurrent ? number : -1)
                    running.withLock { $0 -= 1 }
                    if number == 1999 { end.open() }
                }
            }
        }
        #expect(end.wait())
        #expect(list.all == Array(0..<2000))
        #expect(other.all == Array(0..<2000))
    }

    @Test("a thread goes on with what its work has asked of another queue, and comes back")
    func sameThread() {
        let (user, vault) = (OrderedQueue(), OrderedQueue())
        let end = Gate()
        let threads = Mutex<Set<UInt>>([])
        let note: @Sendable () -> Void = { threads.withLock { _ = $0.insert(UInt(pthread_self())) } }
        user.add {
            note()
            vault.add {
                note()
                user.add {
                    note()
                    end.open()
                }
            }
        }
        #expect(end.wait())
        #expect(threads.withLock { $0.count } == 1)
    }

    @Test("a long piece of the vault's keeps no other piece of the user's waiting, added before or meanwhile")
    func longPiece() {
        let (user, vault) = (OrderedQueue(), OrderedQueue())
        let (hasBegun, mayEnd, before, meanwhile) = (Gate(), Gate(), Gate(), Gate())
        user.add {
            user.add { before.open() }
            vault.add {
                hasBegun.open()
                mayEnd.wait()
            }
        }
        #expect(hasBegun.wait() && before.wait())
        user.add { meanwhile.open() }
        #expect(meanwhile.wait())
        mayEnd.open()
    }

    @Test("what waits for a thread that is still busy elsewhere is run as soon as more comes")
    func busyThread() {
        let (first, second) = (OrderedQueue(), OrderedQueue())
        let (hasBegun, mayEnd, left, next) = (Gate(), Gate(), Gate(), Gate())
        first.add {
            second.add { left.open() }
            hasBegun.open()
            mayEnd.wait()
        }
        #expect(hasBegun.wait())
        second.add { next.open() }
        #expect(left.wait() && next.wait())
        mayEnd.open()
    }
}
