import Authorization
import BrokerProtocol
import Platform
import Synchronization
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// How many boots are approved, one after the other, and what an approval leaves that does not come to its end.
@Suite(.timeLimit(.minutes(30)))
struct BootApprovalTests {
    private let other = [UInt8](repeating: 0xEE, count: 32)

    /// A boot with other kernels, each with its own number.
    private func boot(_ number: Int) -> Keychain.ApproveBoot {
        let value = Hex.encode([UInt8](repeating: UInt8(number), count: 32))
        return Keychain.ApproveBoot(values: [.init(register: 4, value: value)])
    }

    private func approved(_ fixture: TiedFixture) async throws -> [String] {
        try #require(try await fixture.client.call(Keychain.Boot()).boot).approved.map(\.digest)
    }

    @Test func soManyBootsAreApprovedEachOnceAndAllButOneAreDropped() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        try await fixture.tie()
        for number in 1..<VaultLimits.boots { _ = try await fixture.approve(boot(number)) }
        let all = try await approved(fixture)
        #expect(all.count == VaultLimits.boots && Set(all).count == all.count)
        let tooMany = try await fault { try await fixture.approve(boot(99)) }
        #expect(tooMany.name == .limitExceeded && tooMany.details.advice?.contains("coffer boot prune") == true)
        // What is approved already takes no further place.
        _ = try await fixture.approve(boot(1))
        #expect(try await approved(fixture) == all)
        let present = try #require(try await fixture.approve(Keychain.ApproveBoot()))
        #expect(present.approved.map(\.digest) == [all[0]] && present.now == all[0] && present.isApproved)
        _ = try await fixture.approve(boot(99))
        #expect(try await approved(fixture).count == 2)
        await fixture.stop()
    }

    @Test func aVaultThatIsNotTiedIsReleasedWithoutAQuestion() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        #expect(try await fixture.client.call(Keychain.TieToBoot(release: true)).boot == nil)
        let method = Keychain.ApproveBoot()
        let client = fixture.client
        #expect(try await fault { try await client.call(method) }.name == .invalidArgument)
        await fixture.stop()
    }

    /// The approving key is released already when something else is measured.
    @Test func aBootThatIsNotApprovedApprovesNothing() async throws {
        let fixture = try await TiedFixture()
        try await fixture.prepare()
        try await fixture.tie()
        let (client, authenticator) = (fixture.client, fixture.broker.authenticator)
        var method = boot(1)
        let id = try await challenge { try await client.call(method) }
        try await authenticator.grant(id)
        try fixture.measure(7, other)
        method.challenge = id
        let refused = try await fault { try await client.call(method) }
        #expect(refused.name == .tpm && refused.details.kind == "boot" && refused.details.code == 0)
        #expect(refused.details.message == "this boot was not approved")
        let state = try #require(try await client.call(Keychain.Boot()).boot)
        #expect(state.approved.count == 1 && !state.isApproved)
        // The next boot is the approved one again, and approves as before.
        try await fixture.restart { try fixture.powerCycle() }
        try await fixture.unlock()
        #expect(try await fixture.approve(boot(1))?.approved.count == 2)
        await fixture.stop()
    }

    /// The TPM has taken the approval, and the broker does not hear of it.
    @Test func anApprovalThatStopsInTheMiddleCountsAtTheNextStart() async throws {
        let tpm = try SWTPM()
        let isDeaf = Mutex(false)
        let tap = try WireTap(
            tpm,
            answer: { command, answer in
                guard isCommand(.nvWrite, command), isDeaf.withLock({ $0 }) else { return }
                // TPM_RC_FAILURE.
                answer = [0x80, 0x01, 0, 0, 0, 10, 0, 0, 0x01, 0x01]
            })
        let fixture = try await TiedFixture(tpm) { _ in TPMSealer(TPMAccess.patient(tap.configuration)) }
        try await fixture.prepare()
        try await fixture.tie()
        isDeaf.withLock { $0 = true }
        _ = try await fault { try await fixture.approve(boot(1)) }
        isDeaf.withLock { $0 = false }
        try await fixture.restart()
        try await fixture.unlock()
        #expect(try await fixture.read() == someValue)
        let state = try #require(try await fixture.client.call(Keychain.Boot()).boot)
        #expect(state.approved.count == 2 && state.isApproved)
        // From here on everything goes on as usual.
        #expect(try await fixture.approve(boot(2))?.approved.count == 3)
        await fixture.stop()
    }
}
