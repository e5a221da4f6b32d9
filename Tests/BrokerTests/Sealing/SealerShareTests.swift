import Authorization
import BrokerProtocol
import Dispatch
import Platform
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

extension VaultActor {
    fileprivate func sealerUser() -> SealerUser { dependencies.sealer.user }
}

/// Each use of the TPM takes the share of the user who causes it (attacker 3).
@Suite(.timeLimit(.minutes(5))) struct SealerShareTests {
    private static let uid: UInt32 = 1

    /// Takes the turn, and all places of a user, while something else runs.
    private func flooding(
        _ user: SealerUser, _ sealer: SealerService, _ body: () async throws -> Void
    ) async throws {
        let (gate, hasBegun) = (DispatchSemaphore(value: 0), ConnectionFlag())
        var uses: [Task<Void, any Error>] = []
        uses.append(
            Task {
                try await sealer.use { (_) throws(SealerError) in
                    hasBegun.set(true)
                    // This ends the test even if it fails.
                    _ = gate.wait(timeout: .now() + 600)
                }
            })
        defer { gate.signal() }
        try await until("the turn is taken") { hasBegun.isUp }
        for number in 1...SealerLimits.share {
            uses.append(Task { try await sealer.serving(user).use { (_) throws(SealerError) in } })
            try await until("it waits") { sealer.waitingCount == number }
        }
        try await body()
        gate.signal()
        for use in uses { try await use.value }
    }

    @Test func aVaultHasTheSealerInItsOwnersName() async throws {
        let fixture = try VaultFixture()
        for owner in [Owner.user(Self.uid), .group(5)] {
            let vaultActor = fixture.vaultStore.vaultActor(of: owner)
            #expect(await vaultActor.sealerUser() == .owner(owner))
        }
        #expect(fixture.dependencies.sealer.user == .broker)
        let sample = try CoreSample(uid: Self.uid)
        #expect(sample.request(.group(5)).sealer.user == .user(Self.uid))
    }

    @Test func measuringTakesTheCallersShare() async throws {
        let sample = try CoreSample(uid: Self.uid)
        let event = FirmwareLogMaker.Event(4, 1, [UInt8](repeating: 7, count: 32))
        try DurableFile.write(FirmwareLogMaker.log([event]), to: sample.folder.path + "/log", mode: 0o644)
        let request = sample.request()
        try await flooding(.user(Self.uid), sample.core.sealer) {
            let error = await #expect(throws: SealerError.self) { _ = try await BootView.take(request) }
            #expect(error == SealerTurns.tooMany)
            // Doctor says that it does not know, and why.
            let coverage = await DiagnoseHandler.coverage(of: [4, 8], request)
            #expect(coverage.commandLine == .unknown && coverage.reason == SealerTurns.tooMany.reason)
        }
    }

    @Test func lookingForRoomTakesTheMakersShare() async throws {
        let fixture = try VaultFixture()
        try await flooding(.user(Self.uid), fixture.dependencies.sealer) {
            let refused = try await fault {
                try await fixture.dependencies.requireRoom(for: .group(5), by: Self.uid)
                return true
            }
            #expect(refused.name == .tpm && refused.details.message == SealerTurns.tooMany.reason)
            #expect(refused.details.advice == SealerTurns.tooMany.advice)
        }
    }

    @Test func aSignatureTakesTheShareOfWhoIsAsked() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(Self.uid)
        let vault = try await vaultActor.vaultID()
        let id = try fixture.ask(Self.uid, .vault(.unlock), vault: vault)
        let (core, caller) = (try fixture.core(), fixture.caller(Self.uid))
        let line = Caller(
            uid: OwnProcess.effectiveUser, process: ProcessIdentity(pid: 9, startTime: 90), connection: 9)
        _ = try core.challenges.describe(id, uid: caller.uid, process: caller.process, connection: line.connection)
        let session = AuthenticatorSession(core: core, exchanges: OpenExchanges(), caller: line)
        try await flooding(.user(Self.uid), core.sealer) {
            let refused = try await fault {
                _ = try await session.prepare(BrokerInterface.Prepare(challenge: id, authorization: 0))
                return true
            }
            #expect(refused.name == .brokerTPM && refused.details.message == SealerTurns.tooMany.reason)
        }
        await vaultActor.close()
    }

    @Test func aFullQueueHasAPlaceForWhoHasNone() async throws {
        let (thread, gate, hasBegun) = (
            SealerThread(patience: patience), DispatchSemaphore(value: 0), ConnectionFlag()
        )
        defer { gate.signal() }
        let first = Task {
            try await thread.run { () throws(SealerError) in
                hasBegun.set(true)
                _ = gate.wait(timeout: .now() + 600)
            }
        }
        try await until("the turn is taken") { hasBegun.isUp }
        var flood: [Task<Void, any Error>] = []
        for number in 1..<SealerLimits.queue {
            let user = SealerUser.user(number <= SealerLimits.share ? 1 : UInt32(number))
            flood.append(Task { try await thread.run(for: user) { () throws(SealerError) in } })
            try await until("it waits") { thread.waitingCount == number }
        }
        let other = Task { try await thread.run(for: .user(1000)) { () throws(SealerError) in } }
        let displaced = flood.remove(at: SealerLimits.share - 1)
        let error = await #expect(throws: SealerError.self) { try await displaced.value }
        #expect(error == SealerTurns.busy)
        gate.signal()
        try await first.value
        try await other.value
        for use in flood { try await use.value }
    }
}
