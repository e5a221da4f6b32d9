import BrokerProtocol
import Synchronization
import Varlink

/// Places of calls, by what is counted together. A call without a place waits, and holds no thread meanwhile.
final class Places<Subject: Hashable & Sendable>: Sendable {
    private let all: Int
    private let alike: Int

    /// - Parameters:
    ///   - all: the most calls that have a place.
    ///   - alike: the most of them with the same subject.
    init(all: Int, alike: Int) {
        self.all = all
        self.alike = alike
    }

    private struct Waiting {
        let number: UInt64
        let subject: Subject
        /// Whether there is a place; false if the task was cancelled.
        let turn: FirstResult<Bool>
    }

    private struct State {
        var last: UInt64 = 0
        var taken: [Subject: Int] = [:]
        var waiting: [Waiting] = []

        mutating func take(_ subject: Subject) { taken[subject, default: 0] += 1 }
    }

    private let state = Mutex(State())

    private func hasRoom(for subject: Subject, _ state: State) -> Bool {
        state.taken.values.reduce(0, +) < all && state.taken[subject, default: 0] < alike
    }

    /// How many calls wait for a place.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Takes a place if one is free.
    func enter(_ subject: Subject) -> Bool {
        state.withLock { state in
            guard hasRoom(for: subject, state), !state.waiting.contains(where: { $0.subject == subject }) else {
                return false
            }
            state.take(subject)
            return true
        }
    }

    /// Waits for a place, and takes it.
    /// - Throws: `.cancelled` if the task is cancelled.
    func wait(_ subject: Subject) async throws(KeychainError) {
        let turn = FirstResult<Bool>()
        let number = state.withLock { state in
            state.last += 1
            if hasRoom(for: subject, state) {
                state.take(subject)
                turn.end(with: true)
            } else {
                state.waiting.append(Waiting(number: state.last, subject: subject, turn: turn))
            }
            return state.last
        }
        let hasPlace = await withTaskCancellationHandler {
            await turn.value
        } onCancel: {
            // A place that was given already is given back by the call.
            let waits = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return false }
                state.waiting.remove(at: index)
                return true
            }
            if waits { turn.end(with: false) }
        }
        if !hasPlace { throw .cancelledByTask }
    }

    /// Gives a place back. The calls that wait longest get what is free.
    func leave(_ subject: Subject) {
        let turns = state.withLock { state in
            state.taken[subject] = state.taken[subject].flatMap { $0 > 1 ? $0 - 1 : nil }
            let waiting = state.waiting
            state.waiting = []
            var turns: [FirstResult<Bool>] = []
            for one in waiting {
                if hasRoom(for: one.subject, state) {
                    state.take(one.subject)
                    turns.append(one.turn)
                } else {
                    state.waiting.append(one)
                }
            }
            return turns
        }
        for turn in turns { turn.end(with: true) }
    }
}

/// What the broker and the authenticator count together of the calls that have a person asked.
enum AskingSubject: Hashable, Sendable {
    /// The present value of one item. Reads of different items share prompts.
    case reading(VaultName, String)
    /// Everything else. Each has a prompt of its own.
    case other

    /// - Parameter name: what the call is about.
    init(_ method: some VarlinkMethod, _ vault: VaultName, _ name: String) {
        // Former values, and several items at once, share no prompt.
        self = (method as? Wire.Get).map { $0.version == nil } ?? false ? .reading(vault, name) : .other
    }
}
