import Authorization
import BrokerProtocol
import Foundation
import Platform
import RootConfiguration
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker
@testable import TPM

/// Attacker 4: a program of one user makes as many vaults as it can. The TPM has room for few, and everybody needs some.
@Suite(.timeLimit(.minutes(30)))
struct IndexBudgetTests {
    private static let policy = [UInt8](repeating: 1, count: 32)

    /// The record of a vault with two indexes.
    private func record(_ owner: Owner, maker: UInt32? = nil, isService: Bool = false) throws -> RegistryRecord {
        let names = Dictionary(
            uniqueKeysWithValues: ObjectRole.ofNewVault.map { ($0, [UInt8](repeating: 2, count: 34)) })
        let handle: UInt32 = 0x01B0_C000
        return RegistryRecord(
            vault: try .random(), owner: owner, ownerName: "o", created: 1, sealer: .tpm,
            authenticatorKey: [UInt8](repeating: 3, count: 65),
            storageKey: StorageKeyPin(handle: 0x8100_0001, name: [], context: [1]),
            counter: CounterPin(handle: handle, base: 1, context: [1]), objects: names,
            isService: isService, generation: GenerationPin(handle: handle + 1, policy: Self.policy),
            maker: maker)
    }

    private func refusal(
        _ budget: IndexBudget, _ owner: Owner, by maker: UInt32, _ records: [RegistryRecord], left: UInt32? = nil,
        isTaken: Bool = false
    ) -> Fault? {
        do throws(Fault) {
            let variable = left.map { [0x20B: $0] as [UInt32: UInt32] } ?? [:]
            try budget.check(
                owner, by: maker, records, NVRoom(fixed: [:], variable: variable), isTaken: isTaken)
            return nil
        } catch { return error }
    }

    @Test("groups' vaults count to the member who made them, and at the limit the message says what takes the room")
    func limit() throws {
        let budget = IndexBudget(perUser: 6)
        let own = try record(.user(7))
        let group = try record(.group(1), maker: 7)
        #expect(refusal(budget, .group(2), by: 7, [own, group]) == nil)
        let full = [own, group, try record(.group(2), maker: 7)]
        let fault = try #require(refusal(budget, .group(3), by: 7, full))
        #expect(fault.name == .limitExceeded)
        #expect(fault.details.message?.contains("3 vaults, which take 6") == true, "\(fault)")
        #expect(fault.details.advice?.contains("indexes-per-user") == true)
        let one = refusal(IndexBudget(perUser: 3), .group(2), by: 7, [own])
        #expect(one?.details.message?.contains("made 1 vault, which take 2") == true, "\(String(describing: one))")
        // Others' vaults, service vaults and old records of groups count to nobody else.
        #expect(refusal(budget, .user(8), by: 8, full) == nil)
        let others = [try record(.group(4)), try record(.user(9), isService: true)]
        #expect(refusal(budget, .group(2), by: 7, [own, group] + others) == nil)
    }

    @Test("vaults that are being made count, so asking for many at once brings nothing")
    func atOnce() throws {
        let budget = IndexBudget(perUser: 6)
        for gid in 1...3 {
            #expect(refusal(budget, .group(UInt32(gid)), by: 7, [], isTaken: true) == nil)
        }
        #expect(refusal(budget, .group(4), by: 7, [], isTaken: true)?.name == .limitExceeded)
        // Another try for the same vault takes no further place.
        #expect(refusal(budget, .group(3), by: 7, [], isTaken: true) == nil)
        budget.giveBack(.group(1))
        #expect(refusal(budget, .group(4), by: 7, [], isTaken: true) == nil)
    }

    @Test("the last room is for those who have no vault yet")
    func share() throws {
        let budget = IndexBudget()
        let own = try record(.user(7))
        #expect(refusal(budget, .group(1), by: 7, [own], left: 10) == nil)
        let fault = try #require(refusal(budget, .group(1), by: 7, [own], left: 9))
        #expect(fault.name == .limitExceeded && fault.details.message?.contains("no vault yet") == true, "\(fault)")
        #expect(refusal(budget, .user(8), by: 8, [own], left: 9) == nil)
        // A first vault is tried in any case.
        #expect(refusal(budget, .user(8), by: 8, [own], left: 0) == nil)
    }

    @Test(
        "a member of many groups fills neither the TPM nor another user's share, and is told why before any password",
        .enabled(if: OwnProcess.effectiveUser == 0, "needs root"))
    func manyGroups() async throws {
        let tpm = try SWTPM()
        let broker = try await ThrowAwayBroker(configure: { configuration in
            configuration.sealer = .tpm
            configuration.tcti = "\(tpm.configuration)"
            configuration.indexesPerUser = 4
        }) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
        let companies = [try ThrowAwayAccounts(2), try ThrowAwayAccounts(1)]
        let mallory = try await OtherUser(broker, companies[0].uids[0])
        try companies[0].join(0)
        try Tool.output("gpasswd", ["--add", companies[0].names[0], companies[1].group])
        #expect(try await mallory.pass("Unlock").contains("unlocked"))
        #expect(try await mallory.pass("Unlock", #""group":"\#(companies[0].group)""#).contains("unlocked"))
        let registry = Registry(
            directory: broker.configuration.registryDirectory, authenticatorUID: OwnProcess.effectiveUser)
        let group = try #require(try registry.record(for: .group(companies[0].gid)))
        #expect(group.maker == mallory.uid && group.accountable == mallory.uid)
        let refused = try await mallory.say("Unlock", #""group":"\#(companies[1].group)""#)
        #expect(refused.contains("LimitExceeded") && refused.contains("2 vaults, which take 4"), "\(refused)")
        // Bob has none, so there is room for his.
        let bob = try await OtherUser(broker, companies[0].uids[1])
        #expect(try await bob.pass("Unlock").contains("unlocked"))
        await broker.stop()
    }

    @Test("without a TPM, a person with no vault hears of the choice before a password; one with a vault does not")
    func noTPM() async throws {
        let tpm = try SWTPM()
        let broker = try await ThrowAwayBroker(configure: { configuration in
            configuration.sealer = .tpm
            configuration.tcti = "\(tpm.configuration)"
        }) { _ in TPMSealer(TPMAccess.patient(tpm.configuration)) }
        let client = try broker.client()
        try tpm.stop()
        let none = try await fault { try await client.call(Keychain.Unlock()) }
        #expect(none.name == .tpm && none.details.kind == "unavailable", "\(none)")
        #expect(none.details.challenge == nil)
        #expect(none.details.advice?.contains("sealer = software") == true, "\(none)")
        #expect(none.details.advice?.contains("protects less") == true, "\(none)")
        try tpm.restart()
        try await broker.makeVault(client)
        try tpm.stop()
        _ = try await client.call(Keychain.Lock())
        let some = try await client.call(Keychain.Diagnose()).findings.first { $0.check == "tpm" }
        #expect(some?.verdict == .problem && some?.advice?.contains("software") == false, "\(String(describing: some))")
        await broker.stop()
    }
}
