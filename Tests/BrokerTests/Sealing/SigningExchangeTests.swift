import Authorization
import Cryptography
import Dispatch
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Broker

/// A use of the TPM that waits for a signature. Somebody who never signs, signs late or goes away keeps the TPM from
/// nobody.
@Suite(.timeLimit(.minutes(5))) struct SigningExchangeTests {
    /// A use of no TPM, which counts its ends.
    private final class CountedUse: PendingUse {
        let request: SigningRequest
        private let counts = Mutex((finished: 0, cancelled: 0))

        init() throws {
            let reference = PolicyReference(vault: try VaultID.random(), owner: .user(1), kind: .unlock)
            let bytes = [UInt8](repeating: 1, count: 32)
            request = try #require(SigningRequest(nonce: bytes, parameterHash: bytes, reference: reference))
        }

        var finished: Int { counts.withLock { $0.finished } }
        var cancelled: Int { counts.withLock { $0.cancelled } }

        func finish(signature: [UInt8], pin: SecretBytes?) throws(SealerError) -> SecretBytes {
            counts.withLock { $0.finished += 1 }
            do throws(CryptographyError) { return try SecretBytes(copying: signature) } catch {
                throw SealerError(.outOfMemory, error.reason)
            }
        }

        func cancel() { counts.withLock { $0.cancelled += 1 } }
    }

    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    private static let signature = [UInt8](repeating: 7, count: 64)
    /// Longer than any test.
    private static let forever = Duration.seconds(3600)

    /// Whether another use gets its turn.
    private func isFree(_ thread: SealerThread, within limit: Duration = .seconds(20)) async -> Bool {
        do throws(SealerError) {
            try await thread.run(within: limit) { () throws(SealerError) in }
            return true
        } catch { return false }
    }

    @Test func nobodyElseHasTheTurnUntilTheSignature() async throws {
        let (thread, use) = (SealerThread(), try CountedUse())
        let exchange = try await thread.begin(waiting: Self.forever) { () throws(SealerError) in use }
        #expect(await !isFree(thread, within: .milliseconds(300)))
        // No thread waits with it: what belongs to the exchange itself runs at once.
        let secret = try await exchange.finish(signature: Self.signature, pin: nil)
        #expect(try secret == SecretBytes(copying: Self.signature))
        #expect(await isFree(thread))
        #expect(use.finished == 1 && use.cancelled == 0)
    }

    @Test func turnsPassInTheOrderOfTheRequests() async throws {
        let (thread, use) = (SealerThread(), try CountedUse())
        let exchange = try await thread.begin(waiting: Self.forever) { () throws(SealerError) in use }
        let order = Order()
        var uses: [Task<Void, any Error>] = []
        for number in 0..<8 {
            uses.append(
                Task {
                    try await thread.run { () throws(SealerError) in order.numbers.withLock { $0.append(number) } }
                })
            try await until("it waits") { thread.waitingCount == number + 1 }
        }
        exchange.cancel()
        for use in uses { try await use.value }
        #expect(order.numbers.withLock { $0 } == Array(0..<8))
    }

    @Test func aUseThatNobodySignsForPassesItsTurnOn() async throws {
        let (thread, use) = (SealerThread(), try CountedUse())
        let exchange = try await thread.begin(waiting: .milliseconds(50)) { () throws(SealerError) in use }
        #expect(await isFree(thread))
        #expect(use.cancelled == 1)
        // The signature comes after all. Nothing takes it, and the turn is not passed on twice.
        #expect(try await exchange.finish(signature: Self.signature, pin: nil) == nil)
        exchange.cancel()
        #expect(use.finished == 0 && use.cancelled == 1)
        let next = try CountedUse()
        let later = try await thread.begin(waiting: Self.forever) { () throws(SealerError) in next }
        #expect(await !isFree(thread, within: .milliseconds(100)))
        later.cancel()
    }

    @Test func aUseTakesOneSignature() async throws {
        let (thread, use) = (SealerThread(), try CountedUse())
        let exchange = try await thread.begin(waiting: Self.forever) { () throws(SealerError) in use }
        #expect(try await exchange.finish(signature: Self.signature, pin: nil) != nil)
        #expect(try await exchange.finish(signature: Self.signature, pin: nil) == nil)
        #expect(use.finished == 1)
    }

    @Test func aUseThatBeginsTooLateForItsCallerIsGivenUp() async throws {
        let (thread, use, gate) = (
            SealerThread(patience: .milliseconds(50)), try CountedUse(), DispatchSemaphore(value: 0)
        )
        let error = await #expect(throws: SealerError.self) {
            _ = try await thread.begin(waiting: Self.forever) { () throws(SealerError) in
                _ = gate.wait(timeout: .now() + 600)
                return use
            }
        }
        #expect(error?.code == .deadline)
        gate.signal()
        #expect(await isFree(thread))
        #expect(use.cancelled == 1)
    }

    @Test func anErrorAtTheBeginningPassesTheTurnOn() async throws {
        let thread = SealerThread()
        await #expect(throws: SealerError.self) {
            _ = try await thread.begin(waiting: Self.forever) { () throws(SealerError) in
                throw SealerError(.replaced, "another TPM")
            }
        }
        #expect(await isFree(thread))
    }

    @Test func moreThanMayWaitAreRefused() async throws {
        let (thread, use) = (SealerThread(), try CountedUse())
        let exchange = try await thread.begin(waiting: Self.forever) { () throws(SealerError) in use }
        var uses: [Task<Void, any Error>] = []
        for number in 1..<SealerLimits.queue {
            let user = SealerUser.user(UInt32(number))
            uses.append(Task { try await thread.run(for: user) { () throws(SealerError) in } })
            try await until("it waits") { thread.waitingCount == number }
        }
        let error = await #expect(throws: SealerError.self) { try await thread.run { () throws(SealerError) in } }
        #expect(error?.code == .deadline && error?.reason.contains("too busy") == true)
        exchange.cancel()
        for use in uses { try await use.value }
    }

    @Test func theEndOfAConnectionEndsItsUses() async throws {
        let (thread, exchanges, use) = (SealerThread(), OpenExchanges(), try CountedUse())
        let exchange = try await thread.begin(waiting: Self.forever) { () throws(SealerError) in use }
        exchanges.insert(exchange, "c", 0, connection: 1)
        #expect(exchanges.take("c", 0, connection: 2) == nil)
        exchanges.cancelAll(of: 2)
        #expect(await !isFree(thread, within: .milliseconds(100)))
        exchanges.cancelAll(of: 1)
        #expect(await isFree(thread))
        #expect(exchanges.take("c", 0, connection: 1) == nil && use.cancelled == 1)
    }
}
