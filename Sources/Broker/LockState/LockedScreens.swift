import Synchronization

/// Which users have a locked graphical session, according to logind. It is checked before a login elsewhere opens a
/// vault.
final class LockedScreens: Sendable {
    enum Answer: Sendable, Equatable {
        case open
        case locked
        /// logind should be heard, but is not.
        case unknown
    }

    private enum Knowledge {
        /// logind has not been asked yet.
        case starting
        case unknown
        case known(Set<UInt32>)
    }

    private struct State {
        var knowledge = Knowledge.starting
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let clock: BrokerClock
    private let state = Mutex(State())

    init(clock: BrokerClock) { self.clock = clock }

    /// - Parameter users: the users with a locked screen; nil if logind cannot be heard.
    func set(_ users: Set<UInt32>?) {
        let waiting = state.withLock { state in
            state.knowledge = users.map { .known($0) } ?? .unknown
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    /// Waits for logind's first answer, for one second at most.
    func answer(for uid: UInt32) async -> Answer {
        await firstLook()
        return state.withLock { state in
            switch state.knowledge {
            case .starting, .unknown: .unknown
            case .known(let users): users.contains(uid) ? .locked : .open
            }
        }
    }

    private func firstLook() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard case .starting = state.knowledge else { return false }
                state.waiting.append(continuation)
                return true
            }
            guard waits else { return continuation.resume() }
            clock.after(LockLimits.firstLook) { [weak self] in self?.giveUp() }
        }
    }

    private func giveUp() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }
}
