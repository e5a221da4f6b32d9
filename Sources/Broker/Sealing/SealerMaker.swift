import Synchronization
import Vault

/// Who made the TPM: asked once in the background, because a TPM that hangs must not keep anyone from learning the state of things.
final class SealerMaker: Sendable {
    private let sealer: any Sealer
    private let thread: SealerThread
    private let state = Mutex(State())

    private struct State {
        var answer: SealerDescription?
        var isAsking = false
    }

    init(sealer: any Sealer, thread: SealerThread) {
        self.sealer = sealer
        self.thread = thread
    }

    /// What is known by now.
    var known: SealerDescription? { state.withLock { $0.answer } }

    /// Begins to ask, unless it is known or being asked.
    func ask() {
        let isNeeded = state.withLock { state in
            guard state.answer == nil, !state.isAsking else { return false }
            state.isAsking = true
            return true
        }
        guard isNeeded else { return }
        let sealer = self.sealer
        Task {
            // Without an answer the maker stays unknown until somebody asks again.
            let answer = try? await thread.run { () throws(SealerError) -> SealerDescription in try sealer.describe() }
            state.withLock { state in
                state.answer = answer
                state.isAsking = false
            }
        }
    }
}
