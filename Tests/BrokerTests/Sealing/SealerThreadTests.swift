import Dispatch
import Testing
import Vault

@testable import Broker

/// A caller who waits for the TPM in vain is told what to do.
@Suite struct SealerThreadTests {
    @Test func whoWaitsTooLongIsToldWhatToDo() async throws {
        let thread = SealerThread(patience: .milliseconds(50))
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let error = await #expect(throws: SealerError.self) {
            // Until the error is out, and no longer.
            try await thread.run { () throws(SealerError) in _ = gate.wait(timeout: .now() + 600) }
        }
        #expect(error?.code == .deadline)
        #expect(
            error?.reason == "the TPM did not answer in time"
                && error?.advice == "try again, and restart the machine if that does not help")
    }
}
